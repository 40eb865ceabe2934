// Where and how a run is written down.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "checkpointed_log.hpp"
#include "checkpointing.hpp"
#include "flags.hpp"
#include "isolated_run.hpp"
#include "kept_runs.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// `--record`, `--method`, `--checkpoint-every` and `--keep-checkpoints`; of new runs also
/// `--always-record` and `--keep`.
class RecordingFlags {
 public:
  void declare(Flags& flags);
  void declare_always(Flags& flags);
  /// Throws `UsageError` for flags that do not go together.
  void check() const;
  [[nodiscard]] const std::optional<std::string>& path() const { return path_; }
  [[nodiscard]] bool is_always() const { return always_.has_value(); }
  /// Where the run is kept if no file is named; nothing: nowhere.
  [[nodiscard]] std::optional<KeptRuns> kept_runs() const;
  [[nodiscard]] const CheckpointFlags& checkpoints() const { return checkpoints_; }
  /// Is the run to be recorded by a method other than that of schedules?
  [[nodiscard]] bool follows_messages() const { return method() != schedule_method; }
  /// Does it leave open in which order threads do what is not about one object: as, to allocate?
  [[nodiscard]] bool leaves_order_open() const {
    return follows_messages() && orders_objects(method());
  }
  /// No replay.
  [[nodiscard]] bool is_new_run() const { return is_new_run_; }
  /// The name of the method.
  [[nodiscard]] std::string method() const;
  /// Is it one whose recorder runs on the cards of the network?
  [[nodiscard]] bool is_by_cards() const;
  /// With its options, as it was given.
  [[nodiscard]] std::string method_text() const {
    return method_.value_or(std::string(schedule_method));
  }

 private:
  /// Empty: nothing is kept.
  [[nodiscard]] std::string kept_directory() const;

  std::optional<std::string> path_;
  std::optional<std::string> method_;
  CheckpointFlags checkpoints_;
  std::optional<std::string> always_;  // a directory
  std::optional<std::uint64_t> keep_;
  bool is_new_run_ = false;
};

/// The recording of one run.  Made before the run; `record` says so to the run, `save` writes what
/// came of it.  Without a file to record to it does nothing.
class RunRecording {
 public:
  /// The log of this run, with these findings, for a method; asked for when it is written.
  using Description = std::function<SavedRun(std::vector<Finding>, std::string_view method)>;

  /// Throws `UsageError`: the file cannot be written, or the program cannot have checkpoints.
  RunRecording(const RecordingFlags& flags, const FoundProgram& program, Description description);
  /// Throws `UsageError`: the network is none that the method could record on.
  void record(IsolatedRun& request);
  /// The path of the log; empty: there is none.  Throws `UsageError`: the log cannot be written, or
  /// the method does not see all of this run.
  [[nodiscard]] std::string save(const IsolatedResult& result);

 private:
  /// Throws `UsageError` if the method needs steps that the run does not have.
  void check_sees_memory() const;
  [[nodiscard]] bool is_wanted() const { return flags_.path() || kept_runs_; }
  [[nodiscard]] SavedRun describe(const IsolatedResult& result, std::string_view method) const;
  void save_at(const std::string& path, const IsolatedResult& result);

  const RecordingFlags& flags_;
  const FoundProgram& program_;
  Description description_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<KeptRuns> kept_runs_;
  std::optional<CheckpointRequest> checkpoints_;
  std::optional<CheckpointedLog> log_;
};

/// Of a run of a recorded program that is made again: with what it had read then.  Both must
/// outlive the result.
[[nodiscard]] RunRecording::Description describe_again(const FoundProgram& program,
                                                       const SavedRun& recorded);

}  // namespace orrery::cli
