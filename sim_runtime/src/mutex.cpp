#include <orrery/sim_runtime/mutex.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "held_locks.hpp"
#include "machine.hpp"

namespace orrery {

namespace {
// Where a guard of the standard library was called from: `where` then names the library's line.
[[gnu::always_inline]] inline std::uintptr_t return_address() {
  return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}
}  // namespace

Mutex::Mutex(World& world, std::string_view name, Type type)
    : SynchronizationObject(world.machine(), "mutex", name), type_(type) {}

Mutex::~Mutex() {
  if (depth_ > 0) detail::destroyed_while_held(*machine_, *this);
}

bool Mutex::is_enabled(const Operation&, TaskId task) const {
  return depth_ == 0 || (type_ == Type::recursive && owner_ == task);
}

std::vector<detail::SynchronizationObject::Holder> Mutex::holders() const {
  if (depth_ == 0) return {};
  return {{owner_, locked_at_}};
}

void Mutex::acquired(const SourceLocation& where) {
  auto& task = machine_->running();
  owner_ = task.id;
  if (depth_++ > 0) return;
  locked_at_ = where;
  task.held.push_back(this);
  machine_->reconsider(*this);
}

bool Mutex::lock_until(VirtualTime deadline, const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::mutex_lock;
  operation.object = id();
  operation.deadline = deadline;
  operation.where = &where;
  machine_->about_to_lock(id());
  const bool in_time = machine_->announce(operation, this);
  if (machine_->is_unwinding()) return true;
  if (in_time) {
    machine_->has_locked(id());
    acquired(where);
  }
  machine_->told(operation, last_release_, 0, !in_time);
  return in_time;
}

void Mutex::lock(SourceLocation where) {
  where.program_counter = return_address();
  lock_until(VirtualTime::never(), where);
}

bool Mutex::try_lock_for(VirtualDuration timeout, SourceLocation where) {
  return lock_until(machine_->now() + timeout, where);
}

bool Mutex::try_lock(SourceLocation where) {
  where.program_counter = return_address();
  return try_lock_at(where);
}

bool Mutex::try_lock_at(const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::mutex_try_lock;
  operation.object = id();
  operation.where = &where;
  machine_->about_to_lock(id());
  machine_->announce(operation);
  if (machine_->is_unwinding()) return true;
  const bool succeeds = is_enabled(operation, machine_->running().id);
  if (succeeds) {
    machine_->has_locked(id());
    acquired(where);
  } else {
    machine_->poll_failed();
  }
  machine_->told(operation, succeeds ? last_release_ : OperationId{}, succeeds ? 1 : 0);
  return succeeds;
}

void Mutex::unlock(SourceLocation where) {
  where.program_counter = return_address();
  unlock_at(where);
}

void Mutex::unlock_at(const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::mutex_unlock;
  operation.object = id();
  operation.where = &where;
  machine_->announce(operation);
  if (machine_->is_unwinding()) {
    depth_ = 0;
    return;
  }
  if (depth_ == 0 || owner_ != machine_->running().id) {
    return detail::unlocked_without_holding(*machine_, *this, where);
  }
  machine_->has_unlocked();
  released();
  machine_->told(operation);
}

void Mutex::released() {
  last_release_ = machine_->running().current_id();
  if (--depth_ > 0) return;
  detail::give_back(machine_->running(), *this);
  machine_->reconsider(*this);
}

}  // namespace orrery
