// One run in a process of its own, so that a program that dies takes nothing with it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/simulation.hpp>

#include "json_report.hpp"

namespace orrery::cli {

struct CheckpointRequest;

/// A piece of text that the program wrote.
struct OutputPiece {
  std::string_view task;  ///< the name of the task that wrote it
  int stream = 1;         ///< 1 or 2
  std::string_view text;
};

/// What to run.  All references must outlive the call.
struct IsolatedRun {
  const Program& program;
  const SimulationOptions& machine;
  Chooser& chooser;
  std::vector<Observer*> observers;
  /// In the parent, as the text comes.
  std::function<void(const OutputPiece&)> on_output;
  /// In the run's process.  Moves the clock of a run that was started; false: leave it where it
  /// is, the run does not go on.  Without it the run goes to its end.  `more` as below.
  std::function<bool(Simulation&, Json& more)> drive;
  /// In the run's process, after a run that came to its end: may correct the outcome, and put what
  /// the parent should know into `more`.
  std::function<void(Simulation&, const Schedule&, Outcome&, Json& more)> conclude;
  /// In the run's process, where a run dies: what was found until then.
  std::function<std::vector<Finding>()> findings = {};
  /// What the network did, as `more["network"]`; a run that dies leaves nothing of it.
  bool wants_statistics = false;
  /// Each step that is taken: not free.  Without it `IsolatedResult::schedule` is empty.
  bool keeps_schedule = true;
  /// Watches as well, and what it has kept is handed over; null: nobody.
  Recorder* recorder = nullptr;
  /// With checkpoints of its ranks; null: without.
  const CheckpointRequest* checkpoints = nullptr;
  /// Is asked at the operations of ranks, where there are no checkpoints; null: nobody.
  Checkpointer* checkpointer = nullptr;
  /// Not what a user has asked for: a debugger that holds this process is to see the next one.
  bool is_preparation = false;
};

/// What came of it.
struct IsolatedResult {
  Outcome outcome;    ///< of a run that died: the finding that says how, and what is known besides
  Schedule schedule;  ///< of a run that died, up to there
  /// Of the recorder; also of a run that died, where it still could.
  std::vector<RecordedBlock> records;
  bool has_records = false;
  std::string blind_spot;  ///< see `Recorder::blind_spot`; of the checkpoints where that has none
  Json more = Json::object();
  std::vector<std::uint32_t> hosts;  ///< of the ranks; empty for a run that died
  bool has_died = false;
  bool was_left = false;  ///< `drive` said so
};

/// Forks, runs, waits; under a debugger it runs in this process, but for preparations.  Throws
/// `UsageError` if the system has no process left, and what the run itself throws.
[[nodiscard]] IsolatedResult run_isolated(const IsolatedRun& request);

}  // namespace orrery::cli
