// Recorded runs, made again for somebody who watches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <orrery/replay_core/saved_run.hpp>

#include "isolated_run.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// Who watches, and what is to be done in the run's process when there is no more to see.
struct Watching {
  Observer& observer;
  /// `death`: null at the end of a run; before the last step of a run that dies in it, what it
  /// dies of.  What the caller should know goes into `more`.
  std::function<void(Simulation&, const std::vector<Finding>* death, Json& more)> conclude;
  bool wants_statistics = false;  ///< `Simulation::network_statistics`
};

/// A recorded run from its beginning to its end.  One that dies takes with it what was seen: it is
/// made once more, up to its last step, and `more` is of that run.  A log of a method that follows
/// messages, or that the program parts from, gets the findings of this replay.  Throws `UsageError`
/// if the program parts from such a log; `path` names it.
[[nodiscard]] IsolatedResult run_again(const FoundProgram& program, SavedRun& run,
                                       const std::string& path, const Watching& watching);

/// A run that has come to `died`, up to its last step, which it does not take; gives what
/// `conclude` has put into `more`.  `run` is the log of what was replayed; nothing, {}, for a run
/// of its own.
[[nodiscard]] Json run_to_last_step(const FoundProgram& program, SavedRun run,
                                    const IsolatedResult& died, const Watching& watching);

}  // namespace orrery::cli
