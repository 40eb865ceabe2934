// Intervals of a recorded run, executed again from the images at their beginnings: no more of them
// than it takes to see one of them again (Algorithm 4; docs/decisions/0031).  And one rank alone,
// from its beginning, where the log has all messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/interval_events.hpp>
#include <orrery/replay_core/intervals.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/replay_core/process_image.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery {

/// What a process that was restored from the image of a checkpoint goes on with.
struct RestoredRank {
  Simulation* simulation = nullptr;
  MessageRecords records;                  ///< as the method `wildcards` keeps them, so far
  std::vector<OpenReceive> open_receives;  ///< of all tasks, in the order of their operations
  IntervalEvents events;  ///< of the rank, as they stand at the beginning of the interval
  std::function<std::uint64_t(std::int32_t rank)> memory_hash;
  /// What the rank has done since that cannot be as it was, in words; empty, or no function:
  /// nothing.
  std::function<std::string()> unseen = {};
  CrashReporter* reporter = nullptr;    ///< of this process; null: nobody is told how it dies
  const CrashReport* report = nullptr;  ///< what it fills in
};

/// To be called within `Checkpointer::before_operation`: at a rank's first operation, or when
/// `ImageWriter::save` has returned in a restored process: from now on it does what whoever has
/// restored it says through `descriptor`. Returns to let the rank go on; the process ends by
/// itself.
void replay_restored(RestoredRank restored, int descriptor);

/// A run of which one rank goes on alone from its beginning.  References must outlive the call.
struct LoneStart {
  const Program& program;
  const SimulationOptions& machine;
  std::int32_t rank = 0;
  TaskId first_task;  ///< of the rank
  std::function<std::uint64_t(std::int32_t rank)> memory_hash;
};

/// Starts the run in this process, which is made for that (`IntervalStarter`); of all ranks only
/// this one does anything.  The process ends with it.
[[noreturn]] void replay_from_beginning(const LoneStart& start, int descriptor);

/// What came of an interval.
struct ReplayedInterval {
  IntervalId id;
  bool has_ended = false;    ///< it has come as far as in the first run
  bool was_stopped = false;  ///< nobody needed more of it
  std::uint64_t memory_hash = 0;
  std::uint64_t event_hash = 0;
  std::uint64_t events = 0;
  std::shared_ptr<const CrashReport> crash = {};  ///< of one that has died, if it could say how
  std::optional<Finding> finding = {};  ///< of one that has not ended and was not stopped: why
};

/// The interval that was wanted, and those that it took.
struct IntervalReplay {
  std::vector<ReplayedInterval> intervals;  ///< all that were executed, ascending
  IntervalId wanted;
  [[nodiscard]] const ReplayedInterval& of_wanted() const;
};

/// What ranks write meanwhile.
using IntervalOutput =
    std::function<void(const IntervalId& interval, int stream, std::string_view text)>;

/// Executes the interval again, with all that it depends on, each in a process of its own that is
/// restored from its own image.  Throws `UsageError`: no such interval, an image that is not there,
/// and what `ImageStore::restore` says.
[[nodiscard]] IntervalReplay replay_interval(const CheckpointedRun& run, const ImageStore& images,
                                             const IntervalId& wanted,
                                             const IntervalOutput& output);

/// Starts a process that calls `replay_restored` with its copy of `descriptor`; gives its number.
using IntervalStarter = std::function<int(const IntervalId& interval, int descriptor)>;

/// Executes all intervals of a rank again as one, in one process, which `start` starts at the
/// rank's first operation: its messages come from the log, and no other rank is needed.  For runs
/// that were recorded by the method `contents`.  The result is of an interval `rank`:0.  Throws
/// `UsageError`: no such rank, and what `start` throws.
[[nodiscard]] IntervalReplay replay_rank(CheckpointedRun run, std::int32_t rank,
                                         const IntervalStarter& start,
                                         const IntervalOutput& output);

/// What `replay_rank` executes again and compares with: the rank's intervals as one.  Throws as
/// above.
[[nodiscard]] Interval all_intervals_of(const CheckpointedRun& run, std::int32_t rank);

}  // namespace orrery
