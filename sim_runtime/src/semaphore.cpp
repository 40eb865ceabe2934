#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/semaphore.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "machine.hpp"
#include "operation_on.hpp"

namespace orrery {

using detail::operation_on;

// --- Semaphore --------------------------------------------------------------------------------

Semaphore::Semaphore(World& world, std::uint64_t initial, std::string_view name)
    : SynchronizationObject(world.machine(), "semaphore", name), count_(initial) {}

bool Semaphore::is_enabled(const Operation&, TaskId) const {
  return count_ > 0;
}

bool Semaphore::acquire_until(VirtualTime deadline, const SourceLocation& where) {
  auto operation = operation_on(id(), OperationKind::semaphore_acquire, where);
  operation.deadline = deadline;
  const bool in_time = machine_->announce(operation, this);
  if (machine_->is_unwinding()) return true;
  if (in_time && --count_ == 0) machine_->reconsider(*this);
  machine_->told(operation, last_release_, 0, !in_time);
  return in_time;
}

void Semaphore::acquire(SourceLocation where) {
  acquire_until(VirtualTime::never(), where);
}

bool Semaphore::try_acquire_for(VirtualDuration timeout, SourceLocation where) {
  return acquire_until(machine_->now() + timeout, where);
}

bool Semaphore::try_acquire(SourceLocation where) {
  const auto operation = operation_on(id(), OperationKind::semaphore_try_acquire, where);
  machine_->announce(operation);
  if (machine_->is_unwinding()) return true;
  const bool succeeds = count_ > 0;
  if (!succeeds) {
    machine_->poll_failed();
  } else if (--count_ == 0) {
    machine_->reconsider(*this);
  }
  machine_->told(operation, succeeds ? last_release_ : OperationId{}, succeeds ? 1 : 0);
  return succeeds;
}

void Semaphore::release(std::uint64_t count, SourceLocation where) {
  const auto operation = operation_on(id(), OperationKind::semaphore_release, where, count);
  machine_->announce(operation);
  if (machine_->is_unwinding()) return;
  count_ += count;
  last_release_ = machine_->running().current_id();
  machine_->reconsider(*this);
  machine_->told(operation);
}

// --- Barrier ----------------------------------------------------------------------------------

Barrier::Barrier(World& world, std::uint32_t participants, std::string_view name)
    : SynchronizationObject(world.machine(), "barrier", name), participants_(participants) {
  if (participants == 0) throw UsageError("a barrier needs at least one participant");
}

bool Barrier::is_enabled(const Operation& operation, TaskId) const {
  return operation.value != phase_;
}

bool Barrier::arrive_and_wait(SourceLocation where) {
  const auto arrival = operation_on(id(), OperationKind::barrier_arrive, where);
  machine_->announce(arrival);
  if (machine_->is_unwinding()) return false;
  const std::uint64_t phase = phase_;
  last_arrival_ = machine_->running().current_id();
  machine_->told(arrival, {}, phase);
  if (++arrived_ == participants_) {
    arrived_ = 0;
    ++phase_;
    machine_->reconsider(*this);
    return true;
  }
  const auto waiting = operation_on(id(), OperationKind::barrier_wait, where, phase);
  machine_->announce(waiting, this);
  if (!machine_->is_unwinding()) machine_->told(waiting, last_arrival_, phase);
  return false;
}

// --- Latch ------------------------------------------------------------------------------------

Latch::Latch(World& world, std::uint64_t count, std::string_view name)
    : SynchronizationObject(world.machine(), "latch", name), count_(count) {}

bool Latch::is_enabled(const Operation&, TaskId) const {
  return count_ == 0;
}

void Latch::count_down(std::uint64_t by, SourceLocation where) {
  const auto operation = operation_on(id(), OperationKind::latch_count_down, where, by);
  machine_->announce(operation);
  if (machine_->is_unwinding()) return;
  if (by > count_) {
    machine_->fail_here(FindingKind::assertion,
                        machine_->object(id()) + " is counted down below zero", where);
  }
  count_ -= by;
  last_count_down_ = machine_->running().current_id();
  if (count_ == 0) machine_->reconsider(*this);
  machine_->told(operation);
}

void Latch::wait(SourceLocation where) {
  const auto operation = operation_on(id(), OperationKind::latch_wait, where);
  machine_->announce(operation, this);
  if (!machine_->is_unwinding()) machine_->told(operation, last_count_down_);
}

// --- OnceFlag ---------------------------------------------------------------------------------

OnceFlag::OnceFlag(World& world, std::string_view name)
    : SynchronizationObject(world.machine(), "once_flag", name) {}

bool OnceFlag::is_enabled(const Operation&, TaskId) const {
  return state_ != State::running;
}

bool OnceFlag::begin(const SourceLocation& where) {
  const auto operation = operation_on(id(), OperationKind::once_begin, where);
  machine_->announce(operation, this);
  if (machine_->is_unwinding()) return false;
  machine_->told(operation, last_end_);
  if (state_ == State::done) return false;
  state_ = State::running;
  machine_->reconsider(*this);
  return true;
}

void OnceFlag::end(bool succeeded, const SourceLocation& where) {
  const auto operation = operation_on(id(), OperationKind::once_end, where, succeeded ? 1 : 0);
  machine_->announce(operation);
  if (machine_->is_unwinding()) return;
  state_ = succeeded ? State::done : State::unset;
  last_end_ = machine_->running().current_id();
  machine_->reconsider(*this);
  machine_->told(operation, {}, succeeded ? 0 : 1);
}

}  // namespace orrery
