// What becomes of parked tasks when the state of what they wait for has changed.
#include "machine.hpp"

namespace orrery::detail {
namespace {

/// Asks for what is known of a task, which will be read soon.  Inlined always, as in
/// machine_steps.cpp.
[[gnu::always_inline]] inline void fetch(const Task& task) {
  constexpr std::size_t line_bytes = 64;
  for (std::size_t offset = 0; offset < Task::hot_bytes; offset += line_bytes) {
    __builtin_prefetch(reinterpret_cast<const std::byte*>(&task) + offset);
  }
}

/// Is it parked in something that may end before what it waits for has come?
bool may_be_interrupted(const Task& task) {
  const bool waits = task.state == TaskState::disabled || task.state == TaskState::sleeping;
  if (!task.ends_waits) return waits;
  const bool need_not_wait = task.state == TaskState::enabled && task.waits_on != nullptr;
  // Who has been notified, and waits for the mutex, is no sleeper any more.
  return (waits || need_not_wait) && task.pending->kind != OperationKind::mutex_lock;
}

}  // namespace

void Machine::reconsider_waiters(SynchronizationObject& object) {
  for (Task* task = object.first_waiter_; task != nullptr; task = task->next_waiter) {
    fetch(*task->waiter_ahead);
    const bool enabled = object.is_enabled(*task->pending, task->id);
    if (enabled && task->state == TaskState::disabled) {
      enter_agenda(*task, now_);
    } else if (!enabled && task->state == TaskState::enabled) {
      agenda_.remove(task->operation_actor);
      task->state = TaskState::disabled;
    }
  }
}

void Machine::interrupt(TaskId id) {
  Task& task = tasks_[id.value];
  if (!may_be_interrupted(task)) return;
  // A sleep is no wait for others, and recorders do not count that it ends.
  if (task.ends_waits && task.pending->kind == OperationKind::sleep) {
    if (task.operation_actor.place != Actor::Place::nowhere) agenda_.remove(task.operation_actor);
    task.has_ended_wait = true;
    return enter_agenda(task, now_);
  }
  if (task.deadline_actor.place != Actor::Place::nowhere) agenda_.remove(task.deadline_actor);
  const bool may_go_on = task.state == TaskState::enabled;
  if (!may_go_on && task.operation_actor.place != Actor::Place::nowhere)
    agenda_.remove(task.operation_actor);
  task.deadline_actor.alternative = {task.current_id(), task.current_id(), task.pending->object,
                                     OperationKind::timeout, /*weight=*/1};
  agenda_.add(task.deadline_actor, now_);
}

void Machine::repark(Task& task, const Operation& operation, SynchronizationObject& object) {
  if (task.has_ended()) return;  // a sleeper whose host has crashed meanwhile
  if (task.waits_on != nullptr) unlink(task);
  if (task.operation_actor.place != Actor::Place::nowhere) agenda_.remove(task.operation_actor);
  if (task.deadline_actor.place != Actor::Place::nowhere) agenda_.remove(task.deadline_actor);
  task.own_operation = operation;
  task.begin_operation(task.own_operation);
  link(task, object);
  task.state = TaskState::disabled;
  if (object.is_enabled(operation, task.id)) enter_agenda(task, now_);
}

}  // namespace orrery::detail
