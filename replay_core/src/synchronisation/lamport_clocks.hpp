// Lamport's clocks, of tasks and of objects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Does a step of this kind get a stamp: may it matter in which order it and others come?
[[nodiscard]] bool has_stamp(OperationKind kind);
/// Is it a step of message passing?
[[nodiscard]] bool is_message_operation(OperationKind kind);
/// What a step acts on.  What a task does to the world outside of it (text that it writes, calls of
/// a front end that name no object) counts as done to one object: all of it is in one order.
[[nodiscard]] ObjectId stamped_object(const Alternative& step);

/// Moves the clocks on.  Recorder and replayer both count with these, so that they agree.
class LamportClocks {
 public:
  /// The last operation on an object: its stamp, and whose it was; 0: there was none.
  struct Touch {
    std::uint64_t stamp = 0;
    TaskId task;
  };

  /// The events that tell more than steps do: a join whose end it saw, a wait which mutex it gives
  /// up.
  static constexpr EventMask events() {
    return EventMask::of(OperationKind::join) | EventMask::of(OperationKind::condition_wait);
  }

  void clear() {
    tasks_.clear();
    objects_.clear();
    words_.clear();
    known_.clear();
  }
  /// What the step acts on, as far as stamps go: waits on a word of an unchanged program's (a
  /// futex) look at it, so they and the atomics of that word are in one order.
  [[nodiscard]] ObjectId object_of(const Alternative& step);
  /// A task begins with what its starters had at that time.
  void begin_task(TaskId task, std::span<const TaskId> starters) {
    std::uint64_t first = 0;
    for (const TaskId starter : starters) first = std::max(first, clock(starter));
    clock(task) = first;
  }
  /// The stamp of the task's last operation.
  [[nodiscard]] std::uint64_t& clock(TaskId task) {
    if (task.value >= tasks_.size()) tasks_.resize(std::size_t{task.value} + 1);
    return tasks_[task.value];
  }
  [[nodiscard]] Touch last(ObjectId object) const {
    const auto found = objects_.find(object.packed());
    return found == objects_.end() ? Touch{} : found->second;
  }
  /// The task's next operation, on this object.
  void step(TaskId task, ObjectId object) {
    clock(task) = std::max(clock(task), last(object).stamp) + 1;
    touch(task, object);
  }
  /// The task has seen the other's end.
  void join(TaskId task, TaskId ended) { clock(task) = std::max(clock(task), clock(ended)) + 1; }
  /// These end with their process: whoever sees an end comes behind all that was done there.
  void end_process(std::span<const TaskId> tasks) {
    const std::uint64_t last = std::ranges::max(tasks_);
    for (const TaskId task : tasks) clock(task) = last;
  }
  /// The operation whose stamp was counted last acts on this object, too.
  void touch(TaskId task, ObjectId object) { objects_[object.packed()] = {clock(task), task}; }

 private:
  /// What an unchanged program has at an address: the last of each.
  struct Word {
    ObjectId atomic;
    ObjectId futex;
    ObjectId first;  ///< of the two
  };

  std::vector<std::uint64_t> tasks_;
  std::unordered_map<std::uint64_t, Touch> objects_;
  std::unordered_map<std::uintptr_t, Word> words_;
  std::unordered_map<std::uint64_t, ObjectId> known_;  ///< by object: what it counts as
};

}  // namespace orrery::detail
