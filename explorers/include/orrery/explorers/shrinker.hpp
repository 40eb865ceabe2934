// The smallest run that still fails.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/report.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery {

struct ShrinkResult;

/// How long and with what a run is shrunk.
struct ShrinkOptions {
  std::uint64_t runs = 4000;  ///< at most so many runs ...
  /// ... or so much wall-clock time, where not zero (then `runs` is no bound).
  VirtualDuration for_duration = VirtualDuration::zero();
  bool isolate = true;           ///< in a forked worker, for programs that may die
  SimulationOptions simulation;  ///< the machine, with the seed and index of the run
  /// Called with every better run, at once: for keeping the best on disk.
  std::function<void(const ShrinkResult&)> on_better;
  /// A line on standard error that tells how far it is.
  ExploreOptions::Progress progress = ExploreOptions::Progress::never;
  /// As in `ExploreOptions`.
  std::function<std::vector<Observer*>()> observers;
  std::function<std::vector<Finding>()> observer_findings;
  std::function<void(Reruns&)> examine;
};

/// What came of it.
struct ShrinkResult {
  bool reproduced = false;  ///< did the run that was given fail again?  If not, nothing was shrunk
  Schedule schedule;        ///< the best run
  /// Where tasks lose their turn in it.  A run in which they do at shared accesses alone is taken
  /// as one in which they may at all: which accesses are shared, another order changes.
  Preemption preemption = Preemption::sync;
  Finding finding;  ///< as the best run gives it
  std::vector<Finding> others;
  std::string output;  ///< what the program wrote in it
  RunCost before;
  RunCost after;
  std::uint64_t runs = 0;  ///< that it took
  /// Has the budget ended it, so that there may be a smaller one?
  bool was_cut_short = false;
};

/// Makes the run in `schedule` small: fewer preemptions, then fewer answers that differ from
/// the undisturbed one (`ChoicePoint::default_index`), then fewer messages reordered, then fewer
/// steps, with a finding that `is_same_as(finding)`.  Deterministic: a function of its arguments.
///
/// A run is taken as the set of its *deviations*, keyed by the question; what is not named takes
/// the undisturbed answer.  Delta debugging over that set (Zeller and Hildebrandt, "Simplifying and
/// isolating failure-inducing input", 2002; deviations are unordered here, and one whose question
/// is no longer asked lapses, so every subset is a run), then values towards their low end, then a
/// search for runs with fewer preemptions than the best, since delta debugging stops at a local
/// minimum.  Throws `UsageError` only.
///
///     auto small = orrery::shrink(found.schedule, found.finding, program, options);
///     fmt::print("{} -> {}\n", text(small.before), text(small.after));
[[nodiscard]] ShrinkResult shrink(const Schedule& schedule, const Finding& finding,
                                  const Program& program, const ShrinkOptions& options = {});

}  // namespace orrery
