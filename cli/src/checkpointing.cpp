#include "checkpointing.hpp"

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
  if (!method || *method == schedule_method) {
    throw UsageError(
        fmt::format("the method '{}' keeps an order of all ranks, from which no part can be taken",
                    schedule_method),
        "--checkpoint-every", "add --method wildcards, or another that follows messages");
  }
}

std::optional<CheckpointRequest> CheckpointFlags::request(const FoundProgram& program,
                                                          const std::string& log_path) const {
  if (!every_) return std::nullopt;
  if (program.image == nullptr || !program.image->uses_mpi()) {
    throw UsageError("only ranks of an MPI program in a file have checkpoints",
                     "--checkpoint-every", "build the program with orrery cc");
  }
  program.image->keep_ranks_apart(true);
  return CheckpointRequest{
      .schedule = checkpoint_schedule(*every_, "--checkpoint-every"),
      .budget = budget_ ? image_budget(*budget_, "--keep-checkpoints") : ImageBudget{},
      .directory = images_beside(log_path),
      .image = program.image,
      .keep = {}};
}

Checkpointing::Checkpointing(const CheckpointRequest& request, MemoryRange cleared,
                             std::function<void(const RecordedBlock&)> keep)
    : image_(request.image),
      cleared_(cleared),
      writer_({.directory = request.directory, .budget = request.budget}),
      recorder_(request.schedule,
                {.save =
                     [this](const IntervalId& id) {
                       const auto rank = static_cast<std::uint32_t>(id.rank);
                       const std::vector<MemoryRange> others = image_->memory_of_others(rank);
                       return writer_.save({id.rank, id.number}, others, {&cleared_, 1});
                     },
                 .hash_memory = [this](std::int32_t rank) { return hash_memory(rank); },
                 .keep = std::move(keep),
                 .go_on = [this](const IntervalId& interval,
                                 int descriptor) { go_on_alone(interval, descriptor); }}) {}

std::uint64_t Checkpointing::hash_memory(std::int32_t rank) const {
  const RankMemoryHash hash = image_->hash_memory(static_cast<std::uint32_t>(rank));
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
  return (hash.variables * factor ^ hash.heap) * factor ^ hash.mappings;
}

void Checkpointing::go_on_alone(const IntervalId& interval, int descriptor) {
  replay_restored({.simulation = simulation_,
                   .records = recorder_.records(),
                   .open_receives = recorder_.open_receives(),
                   .events = recorder_.events(interval.rank),
                   .memory_hash = [this](std::int32_t rank) { return hash_memory(rank); }},
                  descriptor);
}

void Checkpointing::describe(bool wants_counts, Json& more) const {
  const ImageWriter::Statistics images = writer_.statistics();
  Json about = Json::object();
  if (images.dropped != 0) about["dropped"] = images.dropped;
  if (const std::string problem = writer_.problem(); !problem.empty()) about["problem"] = problem;
  if (wants_counts) {
    for (const auto& [name, count] : recorder_.counts()) about[std::string(name)] = count;
    about["image_bytes_on_disk"] = images.bytes;
    about["image_bytes_written"] = images.bytes_written;
  }
  if (!about.empty()) more["checkpoints"] = std::move(about);
}

}  // namespace orrery::cli
