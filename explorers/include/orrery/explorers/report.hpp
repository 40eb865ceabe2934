// What a search came to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/network_model/fault_plan.hpp>
#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/finding.hpp>

namespace orrery {

/// How hard a run is to follow, most important first; compared in this order.
struct RunCost {
  std::uint64_t preemptions = 0;  ///< times a task lost its turn though it could go on
  std::uint64_t deviations = 0;   ///< answers other than the undisturbed one
  std::uint64_t reordered = 0;    ///< messages that were overtaken by a later one
  std::uint64_t steps = 0;
  friend auto operator<=>(const RunCost&, const RunCost&) = default;
};
/// `2 preemptions, 3 deviations, 0 messages reordered, 41 steps`.
[[nodiscard]] std::string text(const RunCost& cost);

/// One finding of a search, with the runs that show it.
struct FoundRun {
  Finding finding;              ///< of the run as it is saved (the shrunk one, if any)
  std::vector<Finding> others;  ///< further findings of the same run
  std::uint64_t count = 0;      ///< runs that came to a finding of this kind at this place
  std::uint64_t run_index = 0;  ///< the first of them
  Schedule schedule;            ///< its choices, as found
  std::optional<Schedule> shrunk;
  RunCost cost_before;
  RunCost cost_after;          ///< of `shrunk`; as before where it was not shrunk
  std::string timeline;        ///< the saved run as text, a line an event
  std::string output;          ///< what the program wrote in it
  std::string log_path;        ///< empty: not saved
  std::string replay_command;  ///< a shell command that shows it again
  /// Of a message race: the run in which the receive gets the other message, and its log.
  std::optional<Schedule> other_run = {};
  std::string other_log_path = {};
  /// What replays in simulation: the shrunk run, or the one that was found.
  [[nodiscard]] const Schedule& best() const { return shrunk ? *shrunk : schedule; }
};

/// Runs that were stopped by one of their limits.
struct LimitedRuns {
  Limit limit = Limit::none;
  std::uint64_t count = 0;
  std::uint64_t run_index = 0;     ///< the first
  Schedule schedule;               ///< its choices up to the limit
  std::string log_path;            ///< empty: not saved
  std::optional<FindingPlace> at;  ///< where the task was that ran last, where that is known
};

/// A search's result.  A value type.  For a budget in runs it depends on program, strategy, seed
/// and budget alone, not on the number of workers or the machine.
struct Report {
  enum class Outcome : std::uint8_t { clean, finding, limit };

  std::string name;
  std::string strategy;  ///< with its options
  std::uint64_t seed = 0;
  std::string snapshot_at;  ///< the function from whose first call on all runs went; or empty
  std::uint64_t runs = 0;   ///< runs that count: up to the finding, if the search stopped there
  std::uint64_t steps = 0;  ///< of all these
  std::uint64_t distinct_schedules = 0;
  bool distinct_is_exact = true;  ///< false: too many to count, there are at least so many
  /// Findings that were not wanted, in all runs: how many by which rule.
  std::map<std::uint64_t, std::uint64_t> suppressed;
  std::uint64_t abandoned = 0;               ///< runs given up as redundant by the strategy
  std::int64_t longest_virtual_time_ns = 0;  ///< the latest end of a run
  FaultPlan fault_plan;                      ///< what might strike
  FaultCounts faults;                        ///< how often it could have, and did, in all runs
  std::uint64_t runs_without_fault = 0;      ///< runs in which nothing struck
  std::string first_output;                  ///< what the program wrote in run 0
  bool complete = false;                     ///< the strategy has seen everything within its bounds
  bool interrupted = false;                  ///< by Ctrl-C
  bool replayed = false;  ///< ORRERY_REPLAY: one run from a log, or none if not named there
  std::vector<FoundRun> findings;   ///< by the index of the first run
  std::vector<LimitedRuns> limits;  ///< in the order of `Limit`

  /// Were faults wanted, and did none strike in the whole search?  Then it has tested nothing.
  [[nodiscard]] bool has_missed_its_faults() const;
  [[nodiscard]] Outcome outcome() const;
  /// 0 no finding, 1 a finding, 3 only stopped at a limit without an answer, or no fault ever
  /// struck where faults were wanted.
  [[nodiscard]] int exit_status() const;
};
[[nodiscard]] std::string_view name(Report::Outcome outcome);

/// How often each kind of fault could have struck and did, in a line; empty where none was wanted.
[[nodiscard]] std::string faults_text(const Report& report);

/// The report as text for people: the counts, then each finding with places, cost, timeline and the
/// command that replays it.  No wall-clock value takes part.
[[nodiscard]] std::string text(const Report& report);

}  // namespace orrery
