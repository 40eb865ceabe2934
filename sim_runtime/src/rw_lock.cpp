#include <algorithm>

#include <orrery/sim_runtime/mutex.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "held_locks.hpp"
#include "machine.hpp"

namespace orrery {

RwLock::RwLock(World& world, std::string_view name)
    : SynchronizationObject(world.machine(), "rw_lock", name) {}

RwLock::~RwLock() {
  if (!holders_.empty()) detail::destroyed_while_held(*machine_, *this);
}

bool RwLock::is_enabled(const Operation& operation, TaskId) const {
  const bool reads = operation.kind == OperationKind::shared_lock ||
                     operation.kind == OperationKind::shared_try_lock;
  return holders_.empty() || (reads && !is_written_);
}

bool RwLock::acquire(OperationKind kind, const SourceLocation& where, VirtualTime deadline) {
  Operation operation;
  operation.kind = kind;
  operation.object = id();
  operation.deadline = deadline;
  operation.where = &where;
  machine_->about_to_lock(id());
  const bool in_time = machine_->announce(operation, this);
  if (machine_->is_unwinding()) return true;
  if (in_time) {
    machine_->has_locked(id());
    acquired(kind == OperationKind::mutex_lock, where);
  }
  machine_->told(operation, last_release_, 0, !in_time);
  return in_time;
}

bool RwLock::try_acquire(OperationKind kind, const SourceLocation& where) {
  Operation operation;
  operation.kind = kind;
  operation.object = id();
  operation.where = &where;
  machine_->about_to_lock(id());
  machine_->announce(operation);
  if (machine_->is_unwinding()) return true;
  const bool succeeds = is_enabled(operation, machine_->running().id);
  if (succeeds) {
    machine_->has_locked(id());
    acquired(kind == OperationKind::mutex_try_lock, where);
  } else {
    machine_->poll_failed();
  }
  machine_->told(operation, succeeds ? last_release_ : OperationId{}, succeeds ? 1 : 0);
  return succeeds;
}

void RwLock::acquired(bool writes, const SourceLocation& where) {
  auto& task = machine_->running();
  is_written_ = writes;
  holders_.push_back({task.id, where});
  task.held.push_back(this);
  machine_->reconsider(*this);
}

void RwLock::release(OperationKind kind, const SourceLocation& where) {
  Operation operation;
  operation.kind = kind;
  operation.object = id();
  operation.where = &where;
  machine_->announce(operation);
  if (machine_->is_unwinding()) {
    holders_.clear();
    return;
  }
  machine_->has_unlocked();
  auto& task = machine_->running();
  const auto held = std::ranges::find(holders_, task.id, &Holder::task);
  const bool as_writer = kind == OperationKind::mutex_unlock;
  if (held == holders_.end() || as_writer != is_written_) {
    return detail::unlocked_without_holding(*machine_, *this, where);
  }
  holders_.erase(held);
  is_written_ = false;
  last_release_ = task.current_id();
  detail::give_back(task, *this);
  machine_->reconsider(*this);
  machine_->told(operation);
}

void RwLock::lock(SourceLocation where) {
  acquire(OperationKind::mutex_lock, where);
}
void RwLock::lock_shared(SourceLocation where) {
  acquire(OperationKind::shared_lock, where);
}
bool RwLock::try_lock(SourceLocation where) {
  return try_acquire(OperationKind::mutex_try_lock, where);
}
bool RwLock::try_lock_shared(SourceLocation where) {
  return try_acquire(OperationKind::shared_try_lock, where);
}
void RwLock::unlock(SourceLocation where) {
  release(OperationKind::mutex_unlock, where);
}
void RwLock::unlock_shared(SourceLocation where) {
  release(OperationKind::shared_unlock, where);
}

}  // namespace orrery
