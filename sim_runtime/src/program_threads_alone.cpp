// What a thread of a program does while nobody else could go on and nobody looks on: the same
// operations as in program_threads.cpp, without a word to anybody.
#include <algorithm>

#include <orrery/sim_runtime/condition_variable.hpp>
#include <orrery/sim_runtime/mutex.hpp>
#include <orrery/sim_runtime/semaphore.hpp>

#include "held_locks.hpp"
#include "machine.hpp"
#include "program_threads.hpp"
#include "simulated_threads.hpp"

namespace orrery::detail {
namespace {

/// Whoever calls is in the program, whose memory is not ours: nothing may grow here.
template <typename T>
bool is_full(const std::vector<T>& list) {
  return list.size() == list.capacity();
}

ProgramThreads& threads() {
  return Machine::current()->program_threads();
}

}  // namespace

// Nobody waits for a lock that is free: they would be enabled, and the caller not alone.

bool ProgramThreads::lock_alone(void* address, std::uintptr_t pc) {
  if (!machine_->is_alone()) return false;
  auto* const mutex = objects_.find<Mutex>(address);
  if (mutex == nullptr || mutex->depth_ != 0) return false;
  Task& task = machine_->running();
  if (mutex->robustness_ != Mutex::Robustness::none || is_full(task.held)) return false;
  if (task.spins_on(mutex->id())) return false;
  machine_->step_alone();
  machine_->has_locked(mutex->id());
  mutex->depth_ = 1;
  mutex->owner_ = task.id;
  mutex->locked_at_ = SourceLocation::at(pc);
  task.held.push_back(mutex);
  return true;
}

bool ProgramThreads::unlock_alone(void* address) {
  if (!machine_->is_alone()) return false;
  auto* const mutex = objects_.find<Mutex>(address);
  if (mutex == nullptr || mutex->depth_ != 1 || Machine::has_waiters(*mutex)) return false;
  Task& task = machine_->running();
  if (mutex->robustness_ != Mutex::Robustness::none || mutex->owner_ != task.id) return false;
  machine_->step_alone();
  machine_->has_unlocked();
  mutex->depth_ = 0;
  mutex->last_release_ = task.current_id();
  give_back(task, *mutex);
  return true;
}

bool ProgramThreads::lock_shared_or_not_alone(void* address, std::uint32_t mode_bits,
                                              std::uintptr_t pc) {
  if (!machine_->is_alone()) return false;
  auto* const lock = objects_.find<RwLock>(address);
  if (lock == nullptr || is_full(lock->holders_)) return false;
  const bool is_shared = (mode_bits & ORRERY_LOCK_SHARED) != 0;
  const bool is_marked = (mode_bits & ORRERY_LOCK_MARKED) != 0;
  if (!lock->holders_.empty() && (!is_marked || !is_shared || lock->is_written_)) return false;
  Task& task = machine_->running();
  if (is_full(task.held) || task.spins_on(lock->id())) return false;
  machine_->step_alone();
  machine_->has_locked(lock->id());
  lock->is_written_ = !is_shared;
  lock->holders_.push_back({task.id, SourceLocation::at(pc)});
  task.held.push_back(lock);
  return true;
}

bool ProgramThreads::unlock_shared_or_not_alone(void* address) {
  if (!machine_->is_alone()) return false;
  auto* const lock = objects_.find<RwLock>(address);
  if (lock == nullptr || Machine::has_waiters(*lock)) return false;
  Task& task = machine_->running();
  const auto held = std::ranges::find(lock->holders_, task.id, &RwLock::Holder::task);
  if (held == lock->holders_.end()) return false;
  machine_->step_alone();
  machine_->has_unlocked();
  lock->holders_.erase(held);
  lock->is_written_ = false;
  lock->last_release_ = task.current_id();
  give_back(task, *lock);
  return true;
}

bool ProgramThreads::notify_alone(void* address) {
  if (!machine_->is_alone()) return false;
  const auto* const condition = objects_.find<ConditionVariable>(address);
  if (condition == nullptr || !condition->sleepers_.empty()) return false;
  machine_->step_alone();
  return true;
}

bool ProgramThreads::acquire_alone(void* address) {
  if (!machine_->is_alone()) return false;
  auto* const semaphore = objects_.find<Semaphore>(address);
  if (semaphore == nullptr || semaphore->count_ == 0) return false;
  machine_->step_alone();
  --semaphore->count_;
  return true;
}

bool ProgramThreads::release_alone(void* address) {
  if (!machine_->is_alone()) return false;
  auto* const semaphore = objects_.find<Semaphore>(address);
  if (semaphore == nullptr || Machine::has_waiters(*semaphore)) return false;
  machine_->step_alone();
  ++semaphore->count_;
  semaphore->last_release_ = machine_->running().current_id();
  return true;
}

void add_lone_steps(OrreryRuntime& table) {
  table.mutex_lock_alone = [](void* mutex, uintptr_t pc) -> int32_t {
    return threads().lock_alone(mutex, pc) ? 1 : 0;
  };
  table.mutex_unlock_alone = [](void* mutex) -> int32_t {
    return threads().unlock_alone(mutex) ? 1 : 0;
  };
  table.rw_lock_alone = [](void* lock, uint32_t mode_bits, uintptr_t pc) -> int32_t {
    return threads().lock_shared_or_not_alone(lock, mode_bits, pc) ? 1 : 0;
  };
  table.rw_unlock_alone = [](void* lock) -> int32_t {
    return threads().unlock_shared_or_not_alone(lock) ? 1 : 0;
  };
  table.condition_notify_alone = [](void* condition) -> int32_t {
    return threads().notify_alone(condition) ? 1 : 0;
  };
  table.semaphore_acquire_alone = [](void* semaphore) -> int32_t {
    return threads().acquire_alone(semaphore) ? 1 : 0;
  };
  table.semaphore_release_alone = [](void* semaphore) -> int32_t {
    return threads().release_alone(semaphore) ? 1 : 0;
  };
  table.atomic_alone = [](void* address, OrreryAtomicAccess access, uint64_t seen) -> int32_t {
    return Machine::current()->program_accesses().atomic_alone(address, access, seen) ? 1 : 0;
  };
}

}  // namespace orrery::detail
