// Lamport's clocks, of tasks and of objects.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

#include "forgotten_memory.hpp"
#include "variable_keys.hpp"

namespace orrery::detail {

/// Does a step of this kind get a stamp: may it matter in which order it and others come?
[[nodiscard]] bool has_stamp(OperationKind kind);
/// Is it a step of message passing?
[[nodiscard]] bool is_message_operation(OperationKind kind);
/// What a step acts on.  What a task does to the world outside of it (text that it writes, calls of
/// a front end that name no object) counts as done to one object: all of it is in one order.
[[nodiscard]] ObjectId stamped_object(const Alternative& step);

/// Moves the clocks on.  Recorder and replayer both count with these, so that they agree.  Of an
/// unchanged program's memory each word is an object, whatever it is used as, and another one when
/// it is handed out anew: which block a task gets another order of steps changes.
class LamportClocks {
 public:
  /// The last operation on an object: its stamp, and whose it was; 0: there was none.
  struct Touch {
    std::uint64_t stamp = 0;
    TaskId task;
  };
  /// What a step acts on: an object, or so many words of memory.  Valid until the run ends.
  struct Reach {
    const VariableKeys::Known* first = nullptr;
    std::uint64_t words = 1;
    bool is_source = false;  ///< the task does the write, too, that it announced before
  };

  /// What tells more than steps do: a join whose end it saw, a wait which mutex it gives up, and
  /// memory that is handed out.
  static constexpr EventMask events() {
    return EventMask::of(OperationKind::join) | EventMask::of(OperationKind::condition_wait) |
           EventMask::allocations();
  }

  /// `pending` must outlive the run.
  void begin(const PendingOperations* pending);
  /// What a step of the run acts on.
  [[nodiscard]] Reach reach_of(const Alternative& step);
  [[nodiscard]] Reach reach_of(ObjectId object) { return {&keys_.of(object)}; }
  /// This memory is handed out, or the stack of a task that has ended.
  void forget(Address address, std::uint64_t size_bytes) { forgotten_.forget(address, size_bytes); }
  /// A task begins with what its starters had at that time.
  void begin_task(TaskId task, std::span<const TaskId> starters) {
    std::uint64_t first = 0;
    for (const TaskId starter : starters) first = std::max(first, clock(starter));
    clock(task) = first;
  }
  /// The stamp of the task's last operation.
  [[nodiscard]] std::uint64_t& clock(TaskId task) { return own(task).clock; }
  /// Of several objects the latest one.
  [[nodiscard]] Touch last(const Reach& reach) const;
  /// The task's last operation waits at this object: its next one comes behind who wakes it.
  void wait(TaskId task, const Reach& reach) { own(task).waits_at = reach; }
  [[nodiscard]] bool waits(TaskId task) const {
    return task.value < tasks_.size() && tasks_[task.value].waits_at.first != nullptr;
  }
  /// What the task's next operation comes behind if it acts on this.
  [[nodiscard]] Touch before(TaskId task, const Reach& reach) const {
    return later(last(reach), later(waking(task), assigned(task, reach)));
  }
  /// The same if it is to see the other's end.
  [[nodiscard]] Touch before_join(TaskId task, TaskId ended) {
    return later({clock(ended), ended}, waking(task));
  }
  /// The task's next operation.
  void step(TaskId task, const Reach& reach) {
    come_behind(task, before(task, reach));
    act(task, reach);
  }
  /// The same with a stamp that is known otherwise.
  void step_with(TaskId task, const Reach& reach, std::uint64_t stamp) {
    end_wait(task);
    clock(task) = stamp;
    act(task, reach);
  }
  /// The task has seen the other's end.
  void join(TaskId task, TaskId ended) { come_behind(task, before_join(task, ended)); }
  /// These end with their process: whoever sees an end comes behind all that was done there.
  void end_process(std::span<const TaskId> tasks);
  /// The operation whose stamp was counted last acts on this, too.
  void touch(TaskId task, const Reach& reach);

 private:
  struct Task {
    std::uint64_t clock = 0;
    Reach waits_at;  ///< none: it does not
    Reach target;    ///< what it wrote, or is about to, at its last step
  };

  static Touch later(const Touch& one, const Touch& other) {
    return one.stamp >= other.stamp ? one : other;
  }
  Task& own(TaskId task) {
    if (task.value >= tasks_.size()) tasks_.resize(std::size_t{task.value} + 1);
    return tasks_[task.value];
  }
  [[nodiscard]] Touch waking(TaskId task) const {
    return waits(task) ? last(tasks_[task.value].waits_at) : Touch{};
  }
  /// Others may have come to the target since it was announced.
  [[nodiscard]] Touch assigned(TaskId task, const Reach& source) const {
    const bool has_target = source.is_source && task.value < tasks_.size() &&
                            tasks_[task.value].target.first != nullptr;
    return has_target ? last(tasks_[task.value].target) : Touch{};
  }
  void come_behind(TaskId task, const Touch& before) {
    clock(task) = std::max(clock(task), before.stamp) + 1;
    end_wait(task);
  }
  void end_wait(TaskId task) { own(task).waits_at = {}; }
  void act(TaskId task, const Reach& reach);

  const PendingOperations* pending_ = nullptr;
  std::vector<Task> tasks_;
  VariableKeys keys_;
  ByVariable<Touch> touches_;
  ForgottenMemory forgotten_;
};

}  // namespace orrery::detail
