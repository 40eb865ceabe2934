// Many runs of one program until a finding, an end or a budget.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <orrery/explorers/report.hpp>
#include <orrery/explorers/strategy.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/log.hpp>
#include <orrery/sim_runtime/program_inputs.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery {

/// An instant of a program's run.
struct SnapshotPlace {
  std::string name;  ///< of a function, for reports and complaints
  /// Makes the next run call its argument when it comes there.
  std::function<void(std::function<void()>)> arm;
};

/// How a search goes about it.  All fields have working defaults.
struct ExploreOptions {
  /// Names the search in reports, default file names and `ORRERY_REPLAY`.
  std::string name = "program";
  /// `NAME[:key=value,...]`, as `make_strategy` reads it.
  std::string strategy = "random";
  /// Used instead of `strategy` where set: one that is not in the table.
  std::shared_ptr<const Strategy> own_strategy;
  /// The budget: so many runs ...
  std::uint64_t runs = 1000;
  /// ... or so much wall-clock time, where not zero (then `runs` is no bound).
  VirtualDuration for_duration = VirtualDuration::zero();
  /// Worker processes.  The report is the same for any number when the budget is in runs.
  unsigned jobs = 1;
  std::uint64_t seed = 0;
  /// Goes on after a finding; findings of the same kind at the same place are folded.
  bool keep_going = false;
  /// Does every run twice and compares the event streams.
  bool check_determinism = false;
  /// Makes the first finding small before it is reported.
  bool shrink = true;
  std::uint64_t shrink_runs = 4000;  ///< at most so many runs for that
  /// Where the log of the first finding goes; further ones get `-2`, `-3` before the suffix. Empty:
  /// `<name>.orr` in the directory that the environment variable ORRERY_LOGS names, or the current
  /// one.
  std::string save_path;
  bool save_logs = true;
  /// Goes on from `<save path>.search` where it exists, and keeps that file up to date.
  bool resume = false;
  /// A JUnit XML file to write; empty: none.
  std::string junit_path;
  /// A progress bar on standard error, also while a finding is made small: never, where that is a
  /// terminal, or always.
  enum class Progress : std::uint8_t { never, on_terminal, always };
  Progress progress = Progress::never;
  /// The machine.  Seed and run index are set for every run; the window is `any_order` unless
  /// changed.
  SimulationOptions simulation = any_order_simulation();
  /// Where all runs begin, if not at the beginning.  Up to there a run is left alone (undisturbed
  /// answers, the low end of draws); a worker does that part once, and goes on from it in a forked
  /// process for each run.  Logs have the whole run.  Needs `isolate`.
  std::optional<SnapshotPlace> snapshot;
  /// Runs in forked workers, so that a run which dies becomes a finding.  False: in this process,
  /// for debuggers; `jobs` is then 1.
  bool isolate = true;
  /// A worker is replaced after so many runs (0: never) and when it has grown by so much.
  std::uint64_t runs_per_worker = 0;
  std::uint64_t worker_growth_bytes = std::uint64_t{256} << 20U;
  /// What is written into the `program` block of logs; the name is `name` where it is empty.
  ProgramInfo program;
  /// Of unchanged programs: what the runs since `forget_inputs` have taken in, for logs.
  std::function<ProgramInputs()> inputs;
  std::function<void()> forget_inputs;
  /// Names the observers below: a search can only be resumed with the same.
  std::string detector;
  /// Called in the worker for every run, for detectors: observers that this run should have.
  std::function<std::vector<Observer*>()> observers;
  /// What such observers found, after each run; added to the outcome's findings.
  std::function<std::vector<Finding>()> observer_findings;
  /// Before that, after a run that came to its end: for detectors that need more runs.
  std::function<void(Reruns&)> examine;
  /// After that, in the run of a finding that is to be reported.
  std::function<void(Reruns&)> explain;
  /// How many findings of the run just done are not wanted, and are not among those above: by each
  /// of the rules that say so.
  std::function<std::vector<std::uint64_t>()> suppressed;
  /// Another run that belongs to the first of these findings: saved beside its log.
  std::function<std::optional<Schedule>()> other_run;

  static SimulationOptions any_order_simulation() {
    SimulationOptions options;
    options.window = any_order;
    return options;
  }
};

/// Searches.  Findings are in the report; throws `UsageError` for bad options, a strategy that does
/// not exist, a state file that does not fit, or a file that cannot be written.
///
/// Where the environment variable ORRERY_REPLAY names a log, nothing is searched: if the log's
/// program has this search's name the log is replayed once and reported, else the report is empty.
///
///     orrery::ExploreOptions options;
///     options.name = "lost update";
///     orrery::Report report = orrery::explore(options, program);
///     CHECK_THAT(report, orrery::NoFindings());
[[nodiscard]] Report explore(const ExploreOptions& options, const Program& program);

}  // namespace orrery
