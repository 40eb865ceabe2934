// What a run with checkpoints has kept, so that it can be replayed from the middle.
//
// A checkpoint of a rank is an image of the process (process_image.hpp), saved when the rank's
// first task was about to begin an operation.  From one checkpoint to the next is an interval:
// docs/decisions/0031.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/replay_core/interval_id.hpp>
#include <orrery/replay_core/logged_messages.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/ids.hpp>

namespace orrery {

/// How far a task had come.
struct TaskProgress {
  TaskId task;
  std::uint32_t operations = 0;  ///< number of the last one whose turn had come
  friend bool operator==(const TaskProgress&, const TaskProgress&) = default;
};

/// What was so when an image was saved.  Whoever looks for a message in an image finds it there if
/// its send is not beyond `progress`.
struct CheckpointState {
  OperationId next;  ///< what the rank's first task was about to begin
  VirtualTime date;
  std::optional<std::uint64_t> image;  ///< number in the `ImageStore`; none: it could not be saved
  std::vector<TaskProgress> progress;  ///< of all tasks that had done something, ascending
  /// Messages to the rank that were sent since its checkpoint before this one, and that no receive
  /// had taken and no probe had seen: the next interval finds them in its image.
  std::vector<OperationId> left_over;
  friend bool operator==(const CheckpointState&, const CheckpointState&) = default;
};

/// What an interval has got from another one, logged messages as well.
struct TakenFrom {
  IntervalId sender;
  std::uint32_t messages = 0;
  OperationId last;  ///< of their sends, the one that came to be last
  friend bool operator==(const TakenFrom&, const TakenFrom&) = default;
};

/// One interval of one rank.  It takes, or sees, from others: what was sent beyond
/// `begin.progress`, not beyond `end_progress`, and is not left over there.
struct Interval {
  IntervalId id;
  CheckpointState begin;

  // Known at its end, which is the next checkpoint or the end of the rank.
  bool has_ended = false;
  OperationId end;                     ///< what the next interval begins with, or the last one
  bool is_last = false;                ///< the rank has ended with it
  std::vector<IntervalId> depends_on;  ///< RS, without itself; also of one that has not ended
  std::vector<TaskId> started;         ///< tasks of the rank that came to be in it, in order
  /// Messages of other ranks that it has taken or seen, and that are not in its image; by sender.
  std::vector<TakenFrom> taken;
  std::vector<TaskProgress> own_progress;  ///< of the rank's own tasks at its end, ascending
  std::uint64_t memory_hash = 0;           ///< see `ProgramImage::hash_memory`; without frames
  std::uint64_t event_hash = 0;            ///< see `IntervalEvents`
  std::uint64_t events = 0;
  std::vector<TaskProgress> end_progress;  ///< as `CheckpointState` has them, at its end
  std::vector<OperationId> end_left_over;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A receive for any source that has no message yet, and its place in its task's
/// `OpenCalls::sources`.
struct OpenReceive {
  OperationId receiver;
  std::size_t place = 0;
};

/// Everything of a run that was recorded with checkpoints.  A value type.
struct CheckpointedRun {
  std::vector<Interval> intervals;  ///< by rank, then by number
  LoggedMessages logged_messages;
  /// As the method `wildcards` keeps them, whatever the method of the run: within a part of a run
  /// nothing else tells which message a wildcard receive takes.
  MessageRecords records;
  std::vector<OperationId> withdrawn;  ///< receives that were cancelled, whatever they asked for

  [[nodiscard]] const Interval* find(const IntervalId& id) const;
};

/// Was any interval's beginning saved?
[[nodiscard]] bool has_images(const CheckpointedRun& run);

}  // namespace orrery
