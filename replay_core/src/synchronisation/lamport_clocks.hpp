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
    waits_.clear();
    units_.clear();
    known_.clear();
  }
  /// What the step acts on, as far as stamps go: waits on a word of an unchanged program's (a
  /// futex) look at it, and an atomic operation may be on a part of what another one has, so all
  /// of those that lie in the same sixteen bytes are in one order.
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
  /// The task's last operation waits at this object: its next one comes behind who wakes it.
  void wait(TaskId task, ObjectId object) {
    if (task.value >= waits_.size()) waits_.resize(std::size_t{task.value} + 1);
    waits_[task.value] = object;
  }
  [[nodiscard]] bool waits(TaskId task) const {
    return task.value < waits_.size() && waits_[task.value] != ObjectId{};
  }
  /// What the task's next operation comes behind if it is on this object.
  [[nodiscard]] Touch before(TaskId task, ObjectId object) const {
    return later(last(object), waking(task));
  }
  /// The same if it is to see the other's end.
  [[nodiscard]] Touch before_join(TaskId task, TaskId ended) {
    return later({clock(ended), ended}, waking(task));
  }
  /// The task's next operation, on this object.
  void step(TaskId task, ObjectId object) {
    come_behind(task, before(task, object));
    touch(task, object);
  }
  /// The same with a stamp that is known otherwise.
  void step_with(TaskId task, ObjectId object, std::uint64_t stamp) {
    end_wait(task);
    clock(task) = stamp;
    touch(task, object);
  }
  /// The task has seen the other's end.
  void join(TaskId task, TaskId ended) { come_behind(task, before_join(task, ended)); }
  /// These end with their process: whoever sees an end comes behind all that was done there.
  void end_process(std::span<const TaskId> tasks) {
    const std::uint64_t last = std::ranges::max(tasks_);
    for (const TaskId task : tasks) clock(task) = last;
  }
  /// The operation whose stamp was counted last acts on this object, too.
  void touch(TaskId task, ObjectId object) { objects_[object.packed()] = {clock(task), task}; }

 private:
  static Touch later(const Touch& one, const Touch& other) {
    return one.stamp >= other.stamp ? one : other;
  }
  [[nodiscard]] Touch waking(TaskId task) const {
    return waits(task) ? last(waits_[task.value]) : Touch{};
  }
  void come_behind(TaskId task, const Touch& before) {
    clock(task) = std::max(clock(task), before.stamp) + 1;
    end_wait(task);
  }
  void end_wait(TaskId task) {
    if (waits(task)) waits_[task.value] = {};
  }

  std::vector<std::uint64_t> tasks_;
  std::vector<ObjectId> waits_;  ///< by task
  std::unordered_map<std::uint64_t, Touch> objects_;
  std::unordered_map<std::uintptr_t, ObjectId> units_;  ///< by place: what is in it counts as
  std::unordered_map<std::uint64_t, ObjectId> known_;   ///< by object: what it counts as
};

}  // namespace orrery::detail
