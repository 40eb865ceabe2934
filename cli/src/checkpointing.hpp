// `orrery run --checkpoint-every` and `--method contents`: recordings of which a part can be
// replayed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <orrery/program_host/program_image.hpp>
#include <orrery/replay_core/checkpoint_recorder.hpp>
#include <orrery/replay_core/process_image.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/simulation.hpp>

#include "flags.hpp"
#include "json_report.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// Where images go.
struct ImagePlace {
  std::string directory;
  ImageBudget budget;
};

/// What intervals a run is to have.
struct CheckpointRequest {
  CheckpointSchedule schedule;
  MessageLogging logging = MessageLogging::dominoes;
  std::optional<ImagePlace> images;  ///< nothing: each rank is one interval, without an image
  std::shared_ptr<ProgramImage> image;
  /// In the parent: a block for the log, as it comes.
  std::function<void(RecordedBlock)> keep;
};

/// Where the images of a run are that is recorded to this file.
[[nodiscard]] std::string images_beside(const std::string& log_path);

/// `--checkpoint-every` and `--keep-checkpoints`.
class CheckpointFlags {
 public:
  void declare(Flags& flags);
  [[nodiscard]] bool are_given() const { return every_ || budget_; }
  /// Throws `UsageError` for what cannot be: `method` and `log_path` as they were given.
  void check(const std::optional<std::string>& method,
             const std::optional<std::string>& log_path) const;
  /// Nothing where no intervals are wanted.  Throws `UsageError` for programs that cannot have
  /// them; sets the others up for it.
  [[nodiscard]] std::optional<CheckpointRequest> request(const FoundProgram& program,
                                                         const std::string& log_path,
                                                         const std::string& method) const;

 private:
  std::optional<std::string> every_;
  std::optional<std::string> budget_;
};

/// Throws `UsageError`: the run does, or has done, what no part of it could be replayed with.
/// `has_images`: of one with checkpoints, else of the method `contents`.
[[noreturn]] void refuse_parts(bool has_images, const std::string& why);

/// What a rank's memory comes to; see `ProgramImage::hash_memory`.
[[nodiscard]] std::uint64_t memory_hash_of(const ProgramImage& image, std::int32_t rank);

/// In the run's process: saves the images and watches the run.
class Checkpointing {
 public:
  /// `cleared` is memory that no image needs.
  Checkpointing(const CheckpointRequest& request, MemoryRange cleared,
                std::function<void(const RecordedBlock&)> keep);
  [[nodiscard]] CheckpointRecorder& recorder() { return recorder_; }
  void watch(Simulation& simulation) {
    simulation_ = &simulation;
    simulation.set_checkpointer(&recorder_);
  }
  /// Intervals that are executed again in this process's image say by it how they die.
  void tell_deaths_by(CrashReporter& reporter, const CrashReport& report) {
    reporter_ = &reporter;
    report_ = &report;
  }
  /// For whoever has started the run: what cannot be replayed, and counts where they are wanted.
  void describe(bool wants_counts, Json& more) const;
  /// Takes away all that were saved, and saves no more.
  void discard_images();

 private:
  [[nodiscard]] CheckpointActions actions(std::function<void(const RecordedBlock&)> keep);
  void describe_images(bool wants_counts, Json& about) const;
  void go_on_alone(const IntervalId& interval, int descriptor);

  std::shared_ptr<ProgramImage> image_;
  MemoryRange cleared_;
  bool has_images_ = false;
  std::filesystem::path images_;
  std::optional<ImageWriter> writer_;
  CheckpointRecorder recorder_;
  Simulation* simulation_ = nullptr;
  CrashReporter* reporter_ = nullptr;
  const CrashReport* report_ = nullptr;
};

}  // namespace orrery::cli
