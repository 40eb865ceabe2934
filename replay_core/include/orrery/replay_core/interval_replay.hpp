// Intervals of a recorded run, executed again from the images at their beginnings: no more of them
// than it takes to see one of them again (Algorithm 4; docs/decisions/0031).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/interval_events.hpp>
#include <orrery/replay_core/intervals.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/replay_core/process_image.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery {

/// What a process that was restored from the image of a checkpoint goes on with.
struct RestoredRank {
  Simulation* simulation = nullptr;
  MessageRecords records;  ///< as the method `wildcards` keeps them, up to the image
  std::vector<OpenReceive> open_receives;  ///< of all tasks, in the order of their operations
  IntervalEvents events;  ///< of the rank, as they stand at the beginning of the interval
  std::function<std::uint64_t(std::int32_t rank)> memory_hash;
};

/// To be called within `Checkpointer::before_operation`, when `ImageWriter::save` has returned in a
/// restored process: from now on it does what whoever has restored it says through `descriptor`.
/// Returns to let the rank go on; the process ends by itself.
void replay_restored(RestoredRank restored, int descriptor);

/// What came of an interval.
struct ReplayedInterval {
  IntervalId id;
  bool has_ended = false;    ///< it has come as far as in the first run
  bool was_stopped = false;  ///< nobody needed more of it
  std::uint64_t memory_hash = 0;
  std::uint64_t event_hash = 0;
  std::uint64_t events = 0;
  std::optional<Finding> finding;  ///< of one that has not ended and was not stopped: why
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

}  // namespace orrery
