#include "checkpointing.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/interval_replay.hpp>

namespace orrery::cli {

std::string images_beside(const std::string& log_path) {
  return log_path + ".images";
}

void CheckpointFlags::declare(Flags& flags) {
  flags.text("--checkpoint-every", every_, "N|TIME|asked",
             "with --record: save each rank after so many operations, or so long");
  flags.text("--keep-checkpoints", budget_, "COUNT|SIZE", "drop the oldest ones beyond that");
}

void CheckpointFlags::check(const std::optional<std::string>& method,
                            const std::optional<std::string>& log_path) const {
  if (budget_ && !every_) {
    throw UsageError("a budget for checkpoints without checkpoints", "--keep-checkpoints",
                     "add --checkpoint-every N");
  }
  if (!every_) return;
  static_cast<void>(checkpoint_schedule(*every_, "--checkpoint-every"));
  if (budget_) static_cast<void>(image_budget(*budget_, "--keep-checkpoints"));
  if (!log_path) {
    throw UsageError("checkpoints without a file to record to", "--checkpoint-every",
                     "add --record FILE");
  }
  const std::string_view by = method ? std::string_view(*method) : schedule_method;
  if (orders_objects(by)) {
    throw UsageError(
        fmt::format("the method '{}' keeps an order of all ranks, from which no part can be taken",
                    by),
        "--checkpoint-every", "add --method wildcards, or another that follows messages");
  }
}

std::optional<CheckpointRequest> CheckpointFlags::request(const FoundProgram& program,
                                                          const std::string& log_path,
                                                          const std::string& method) const {
  const bool has_contents = method == contents_method;
  if (!every_ && !has_contents) return std::nullopt;
  if (program.image == nullptr || !program.image->uses_mpi()) {
    throw UsageError(every_ ? "only ranks of an MPI program in a file have checkpoints"
                            : "the method 'contents' is for MPI programs in a file",
                     every_ ? "--checkpoint-every" : "--method",
                     every_ ? "build the program with orrery cc" : "use the method 'choices'");
  }
  program.image->keep_ranks_apart(true);
  CheckpointRequest request{
      .schedule = {},
      .logging = has_contents ? MessageLogging::all : MessageLogging::dominoes,
      .images = std::nullopt,
      .image = program.image,
      .keep = {}};
  if (every_) {
    request.schedule = checkpoint_schedule(*every_, "--checkpoint-every");
    request.images =
        ImagePlace{images_beside(log_path),
                   budget_ ? image_budget(*budget_, "--keep-checkpoints") : ImageBudget{}};
  }
  return request;
}

void refuse_parts(bool has_images, const std::string& why) {
  throw UsageError("no part of the run could be replayed: " + why,
                   has_images ? "--checkpoint-every" : "--method",
                   has_images ? "leave it out, or have ranks tell each other in messages"
                              : "use the method 'wildcards', or 'choices'");
}

std::uint64_t memory_hash_of(const ProgramImage& image, std::int32_t rank) {
  const RankMemoryHash hash = image.hash_memory(static_cast<std::uint32_t>(rank));
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
  return (hash.variables * factor ^ hash.heap) * factor ^ hash.mappings;
}

Checkpointing::Checkpointing(const CheckpointRequest& request, MemoryRange cleared,
                             std::function<void(const RecordedBlock&)> keep)
    : image_(request.image),
      cleared_(cleared),
      has_images_(request.images.has_value()),
      recorder_(request.schedule, request.logging, actions(std::move(keep))) {
  if (!request.images) return;
  images_ = request.images->directory;
  writer_.emplace(
      ImageWriterOptions{.directory = request.images->directory, .budget = request.images->budget});
}

CheckpointActions Checkpointing::actions(std::function<void(const RecordedBlock&)> keep) {
  const auto save = [this](const IntervalId& id) -> SavedImage {
    if (!writer_) return {.kind = SavedImage::Kind::lost};
    const auto rank = static_cast<std::uint32_t>(id.rank);
    const std::vector<MemoryRange> others = image_->memory_of_others(rank);
    return writer_->save({id.rank, id.number}, others, {&cleared_, 1});
  };
  return {.save = save,
          .hash_memory = [this](std::int32_t rank) { return memory_hash_of(*image_, rank); },
          .keep = std::move(keep),
          .go_on = [this](const IntervalId& interval,
                          int descriptor) { go_on_alone(interval, descriptor); },
          .unseen = [this] { return image_->unseen(); },
          .refuse = [has_images =
                         has_images_](const std::string& why) { refuse_parts(has_images, why); }};
}

void Checkpointing::discard_images() {
  if (!writer_) return;
  writer_.reset();
  std::error_code error;
  std::filesystem::remove_all(images_, error);
}

void Checkpointing::go_on_alone(const IntervalId& interval, int descriptor) {
  image_->lose_file_contents(static_cast<std::uint32_t>(interval.rank));
  replay_restored(
      {.simulation = simulation_,
       .records = recorder_.records(),
       .open_receives = recorder_.open_receives(),
       .events = recorder_.events(interval.rank),
       .memory_hash = [this](std::int32_t rank) { return memory_hash_of(*image_, rank); },
       .unseen = [this] { return image_->unseen(); },
       .reporter = reporter_,
       .report = report_},
      descriptor);
}

void Checkpointing::describe_images(bool wants_counts, Json& about) const {
  const ImageWriter::Statistics images = writer_->statistics();
  if (images.dropped != 0) about["dropped"] = images.dropped;
  if (const std::string problem = writer_->problem(); !problem.empty()) about["problem"] = problem;
  if (!wants_counts) return;
  about["image_bytes_on_disk"] = images.bytes;
  about["image_bytes_written"] = images.bytes_written;
}

void Checkpointing::describe(bool wants_counts, Json& more) const {
  Json about = Json::object();
  if (wants_counts) {
    for (const auto& [name, count] : recorder_.counts()) about[std::string(name)] = count;
  }
  if (writer_) describe_images(wants_counts, about);
  if (!about.empty()) more["checkpoints"] = std::move(about);
}

}  // namespace orrery::cli
