// Images of a process in which a program is simulated: the run goes on from each of them.
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/program_host/hosted_program.hpp>
#include <orrery/replay_core/process_image.hpp>

#include "program_builder.hpp"
#include "saved_processes.hpp"

#if !defined(__SANITIZE_ADDRESS__)
namespace {

using orrery::Event;
using orrery::EventMask;
using orrery::ImageStore;
using orrery::ImageWriter;
using orrery::OperationKind;
using orrery::ProgramImage;
using orrery::SavedImage;
using orrery::test::build_program;
using orrery::test::TemporaryDirectory;

/// Takes the default answers.
class Undisturbed final : public orrery::Chooser {
 public:
  void begin_run(const orrery::RunInfo&) override {}
  orrery::Decision choose(const orrery::ChoicePoint& point) override {
    return orrery::Decision::take(point.default_index());
  }
  std::uint64_t choose_value(const orrery::ValueQuestion& question) override {
    return question.low;
  }
  void end_run(const orrery::Outcome&) override {}
};

/// Saves an image at every so many waits, and goes on in what is restored from one.
class Saver final : public orrery::Observer {
 public:
  Saver(ImageWriter& writer, const ProgramImage& image, std::uint64_t every)
      : writer_(&writer), image_(&image), every_(every) {}
  [[nodiscard]] EventMask interest() const override { return EventMask::of(OperationKind::wait); }
  void on_event(const Event& event) override {
    // What a rank's memory holds at a call is the same in whatever process it is made.
    const auto rank = static_cast<std::uint32_t>(event.id.task.value - 1);
    const orrery::RankMemoryHash hash = image_->hash_memory(rank);
    hashes_ = hashes_ * 31 + (hash.variables ^ hash.heap ^ hash.mappings);
    if (++waits_ % every_ != 0 || descriptor_ >= 0) return;
    const SavedImage saved = writer_->save({static_cast<std::int32_t>(rank), waits_});
    if (saved.kind == SavedImage::Kind::restored) descriptor_ = saved.descriptor;
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string seen() const {
    return std::to_string(waits_) + " " + std::to_string(hashes_);
  }

 private:
  ImageWriter* writer_;
  const ProgramImage* image_;
  std::uint64_t every_;
  std::uint64_t waits_ = 0;
  std::uint64_t hashes_ = 0;
  int descriptor_ = -1;
};

/// Saves images without other ranks' memory, and tells what the rank's holds.
class LonelySaver final : public orrery::Observer {
 public:
  LonelySaver(ImageWriter& writer, const ProgramImage& image) : writer_(&writer), image_(&image) {}
  [[nodiscard]] EventMask interest() const override { return EventMask::of(OperationKind::wait); }
  void on_event(const Event& event) override {
    if (++waits_ % 13 != 0) return;
    const auto rank = static_cast<std::uint32_t>(event.id.task.value - 1);
    const std::string before = told(rank);
    const SavedImage saved =
        writer_->save({static_cast<std::int32_t>(rank), waits_}, image_->memory_of_others(rank));
    if (saved.kind == SavedImage::Kind::restored) {
      orrery::test::end_restored(saved, told(rank) == before ? told(rank) : "another one");
    }
    all_ += before;
  }
  [[nodiscard]] const std::string& all() const { return all_; }

 private:
  [[nodiscard]] std::string told(std::uint32_t rank) const {
    const orrery::RankMemoryHash hash = image_->hash_memory(rank);
    return std::to_string(rank) + ":" + std::to_string(hash.variables) + " " +
           std::to_string(hash.heap) + ";";
  }

  ImageWriter* writer_;
  const ProgramImage* image_;
  std::uint64_t waits_ = 0;
  std::string all_;
};

/// Each rank passes a growing list on, in its heap, and tells what it has come to.
constexpr const char* ring = R"(
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long sum = 1;
static char table[300000];
int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  unsigned long* list = calloc(1, sizeof *list);
  for (int round = 1; round <= 40; ++round) {
    MPI_Request request;
    unsigned long* next = malloc((round + 1) * sizeof *next);
    MPI_Irecv(next, round, MPI_UNSIGNED_LONG, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &request);
    MPI_Send(list, round, MPI_UNSIGNED_LONG, (rank + 1) % size, round, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < round; ++i) sum = sum * 31 + next[i];
    next[round] = sum + rank;
    table[sum % sizeof table] += 1;
    free(list);
    list = next;
  }
  printf("rank %d: %lu %f\n", rank, sum, MPI_Wtime());
  free(list);
  MPI_Finalize();
  return 0;
}
)";

constexpr std::uint32_t ranks = 4;

std::shared_ptr<ProgramImage> load(const std::filesystem::path& program) {
  const orrery::ProgramImageOptions options{orrery::front_end_beside(ORRERY_BINARY)};
  auto image = std::make_shared<ProgramImage>(program, ranks, options);
  image->keep_ranks_apart(true);
  return image;
}

orrery::Outcome run(const std::shared_ptr<ProgramImage>& image, orrery::Observer& observer) {
  orrery::SimulationOptions options;
  options.stack_bytes = orrery::hosted_stack_bytes;
  orrery::Simulation simulation(options);
  Undisturbed chooser;
  const std::array<orrery::Observer*, 1> observers{&observer};
  return simulation.run(orrery::hosted_program(image, {}), chooser, observers);
}

/// Runs it in this process, and says what came of it to whoever wants to know.
void run_and_save(const std::filesystem::path& program, const std::filesystem::path& images,
                  int descriptor) {
  const auto image = load(program);
  ImageWriter writer({.directory = images});
  Saver saver(writer, *image, 13);
  const orrery::Outcome outcome = run(image, saver);
  const std::string result = outcome.output + std::to_string(outcome.steps) + " " +
                             std::to_string(outcome.end.picoseconds()) + " " +
                             std::to_string(outcome.findings.size()) + " " + saver.seen();
  if (saver.descriptor() >= 0)
    orrery::test::end_restored({.descriptor = saver.descriptor()}, result);
  orrery::test::say(descriptor, result);
}

}  // namespace

TEST_CASE("A simulated run goes on from each of its images, with the same memory at each call") {
  const TemporaryDirectory directory;
  const auto program = build_program(directory, ring);
  const auto images = directory / "images";
  const std::string whole =
      orrery::test::in_process([&](int descriptor) { run_and_save(program, images, descriptor); });
  INFO(whole);
  CHECK(whole.find("rank 3: ") != std::string::npos);
  const ImageStore store(images);
  CHECK(store.images().size() >= 10);
  for (const auto& image : store.images()) {
    INFO("image " << image.number);
    CHECK(orrery::test::restored(store, image.number) == whole);
  }
}

TEST_CASE("An image without other ranks' memory has all of the rank's own") {
  const TemporaryDirectory directory;
  const auto program = build_program(directory, ring);
  const auto images = directory / "images";
  const std::string whole = orrery::test::in_process([&](int descriptor) {
    const auto image = load(program);
    ImageWriter writer({.directory = images});
    LonelySaver saver(writer, *image);
    run(image, saver);
    orrery::test::say(descriptor, saver.all());
  });
  const ImageStore store(images);
  std::string all;
  for (const auto& image : store.images()) all += orrery::test::restored(store, image.number);
  CHECK(store.images().size() >= 10);
  CHECK(all == whole);
}
#endif
