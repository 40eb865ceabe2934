#include <algorithm>

#include <orrery/sim_runtime/condition_variable.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "machine.hpp"

namespace orrery {

ConditionVariable::ConditionVariable(World& world, std::string_view name)
    : SynchronizationObject(world.machine(), "condition", name) {}

bool ConditionVariable::is_enabled(const Operation&, TaskId) const {
  // Asked of sleepers only: they wake by themselves where that is allowed.
  return machine_->options().spurious_wakeups;
}

VirtualTime ConditionVariable::deadline_after(VirtualDuration timeout) const {
  return machine_->now() + timeout;
}

std::cv_status ConditionVariable::sleep(Mutex& mutex, VirtualTime deadline,
                                        const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::condition_wait;
  operation.object = id();
  operation.where = &where;
  machine_->announce(operation);
  if (machine_->is_unwinding()) return std::cv_status::no_timeout;
  const TaskId self = machine_->running().id;
  if (mutex.depth_ != 1 || mutex.owner_ != self) {
    machine_->fail_here(FindingKind::assertion,
                        "a wait on " + machine_->object(id()) + " without holding its mutex once",
                        where, "waits");
  }
  mutex.released();
  sleepers_.push_back({self, machine_->running().current_id(), &mutex});
  if (machine_->wants(operation.kind)) tell_asleep(mutex, where);
  const bool in_time = machine_->sleep_on(*this, deadline);
  if (machine_->is_unwinding()) return std::cv_status::no_timeout;
  if (in_time && machine_->running().pending->kind == OperationKind::mutex_lock) {
    // Notified: the wait has turned into a lock of the mutex, whose turn it is now.
    const OperationId release = mutex.last_release_;
    const Operation lock = *machine_->running().pending;
    mutex.acquired(where);
    machine_->told(lock, release);
    return std::cv_status::no_timeout;
  }
  std::erase_if(sleepers_, [&](const Sleeper& sleeper) { return sleeper.task == self; });
  machine_->told(operation, {}, /*payload_hash=*/1, /*timed_out=*/!in_time);
  mutex.lock_until(VirtualTime::never(), where);
  return in_time ? std::cv_status::no_timeout : std::cv_status::timeout;
}

void ConditionVariable::tell_asleep(const Mutex& mutex, const SourceLocation& where) const {
  Event event;
  event.id = machine_->running().current_id();
  event.kind = OperationKind::condition_wait;
  event.object = id();
  event.gives_up = mutex.id();
  event.where = &where;
  machine_->tell(event);
}

void ConditionVariable::wake(std::size_t index) {
  const Sleeper sleeper = sleepers_[index];
  sleepers_.erase(sleepers_.begin() + static_cast<std::ptrdiff_t>(index));
  auto& task = machine_->task_at(sleeper.task);
  Operation operation;
  operation.kind = OperationKind::mutex_lock;
  operation.object = sleeper.mutex->id();
  operation.where = task.pending->where;
  machine_->repark(task, operation, *sleeper.mutex);
}

void ConditionVariable::notify_one(SourceLocation where) {
  Operation operation;
  operation.kind = OperationKind::condition_notify;
  operation.object = id();
  operation.value = 1;
  operation.where = &where;
  machine_->announce(operation);
  if (machine_->is_unwinding()) return;
  OperationId woken;
  if (!sleepers_.empty()) {
    std::vector<Alternative> alternatives;
    for (const Sleeper& sleeper : sleepers_) {
      alternatives.push_back({sleeper.wait, machine_->running().current_id(), id(),
                              OperationKind::condition_wait, /*weight=*/1});
    }
    const std::size_t index = machine_->choose(ChoiceKind::waiter, alternatives);
    woken = sleepers_[index].wait;
    wake(index);
  }
  machine_->told(operation, woken);
}

void ConditionVariable::notify_all(SourceLocation where) {
  Operation operation;
  operation.kind = OperationKind::condition_notify;
  operation.object = id();
  operation.value = ~std::uint64_t{0};
  operation.where = &where;
  machine_->announce(operation);
  if (machine_->is_unwinding()) return;
  while (!sleepers_.empty()) wake(0);
  machine_->told(operation);
}

}  // namespace orrery
