// Locks: in a rank they are the machine's, found by their addresses.
#include <cerrno>
#include <ctime>

#include <pthread.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"

using orrery::host::ComputingScope;
using orrery::host::deadline_of;
using orrery::host::guarded_runtime;
using orrery::host::is_date;
using orrery::host::is_done_alone;
using orrery::host::kind_bits;
using orrery::host::mutex_flags;
using orrery::host::original;
using orrery::host::running;

namespace {

int lock(pthread_mutex_t& mutex, OrreryLockMode mode, std::int64_t deadline,
         std::uintptr_t program_counter) {
  if (is_done_alone<&OrreryRuntime::mutex_lock_alone>(&mutex, program_counter)) {
    mutex.__data.__lock = 1;
    return 0;
  }
  const std::uint32_t flags = mutex_flags(mutex, program_counter);
  const int error = guarded_runtime().mutex_lock(&mutex, flags, mode, deadline, program_counter);
  // So that a mutex which is made anew in the same place is told from this one.
  if (error == 0 || error == EOWNERDEAD) mutex.__data.__lock = 1;
  return error;
}

int unlock(pthread_mutex_t& mutex, std::uintptr_t program_counter) {
  const bool is_recursive = (mutex.__data.__kind & kind_bits) == PTHREAD_MUTEX_RECURSIVE;
  if (mutex.__data.__lock != 0 && is_done_alone<&OrreryRuntime::mutex_unlock_alone>(&mutex)) {
    if (!is_recursive) mutex.__data.__lock = 0;
    return 0;
  }
  const std::uint32_t flags = mutex_flags(mutex, program_counter);
  const int error = guarded_runtime().mutex_unlock(&mutex, flags, program_counter);
  if (error == 0 && !is_recursive) mutex.__data.__lock = 0;
  return error;
}

int lock_spinning(pthread_spinlock_t* lock, OrreryLockMode mode, std::uintptr_t program_counter) {
  int* const word = const_cast<int*>(lock);
  if (is_done_alone<&OrreryRuntime::mutex_lock_alone>(word, program_counter)) return 0;
  ComputingScope::charge_ahead(program_counter);
  const std::uint32_t flags = *lock != 0 ? std::uint32_t{ORRERY_MUTEX_MARKED} : 0U;
  return guarded_runtime().mutex_lock(word, flags, mode, ORRERY_NEVER, program_counter);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_mutexes;
const char orrery_interposed_mutexes = 0;

// --- mutexes ----------------------------------------------------------------------------------

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) noexcept {
  const int error = original<&pthread_mutex_init>("pthread_mutex_init")(mutex, attributes);
  if (running().user != nullptr) guarded_runtime().object_forget(mutex);
  return error;
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_mutex_destroy>("pthread_mutex_destroy")(mutex);
  }
  if (mutex->__data.__lock != 0) {
    guarded_runtime().object_destroy(mutex, ORRERY_CALLER);
  } else {
    guarded_runtime().object_forget(mutex);
  }
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_mutex_lock>("pthread_mutex_lock")(mutex);
  }
  return lock(*mutex, ORRERY_LOCK_WAIT, ORRERY_NEVER, ORRERY_CALLER);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_mutex_trylock>("pthread_mutex_trylock")(mutex);
  }
  return lock(*mutex, ORRERY_LOCK_TRY, ORRERY_NEVER, ORRERY_CALLER);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* date) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_mutex_timedlock>("pthread_mutex_timedlock")(mutex, date);
  }
  if (!is_date(*date)) return EINVAL;
  return lock(*mutex, ORRERY_LOCK_WAIT, deadline_of(CLOCK_REALTIME, *date), ORRERY_CALLER);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* date) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_mutex_clocklock>("pthread_mutex_clocklock")(mutex, clock, date);
  }
  if (!is_date(*date)) return EINVAL;
  return lock(*mutex, ORRERY_LOCK_WAIT, deadline_of(clock, *date), ORRERY_CALLER);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_mutex_unlock>("pthread_mutex_unlock")(mutex);
  }
  return unlock(*mutex, ORRERY_CALLER);
}

int pthread_mutex_consistent(pthread_mutex_t* mutex) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_mutex_consistent>("pthread_mutex_consistent")(mutex);
  }
  return guarded_runtime().mutex_consistent(mutex);
}

// --- spinlocks --------------------------------------------------------------------------------

int pthread_spin_init(pthread_spinlock_t* lock, int is_shared) noexcept {
  const int error = original<&pthread_spin_init>("pthread_spin_init")(lock, is_shared);
  if (running().user != nullptr) {
    *lock = 0;
    guarded_runtime().object_forget(const_cast<int*>(lock));
  }
  return error;
}

int pthread_spin_destroy(pthread_spinlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_spin_destroy>("pthread_spin_destroy")(lock);
  }
  guarded_runtime().object_destroy(const_cast<int*>(lock), ORRERY_CALLER);
  return 0;
}

int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_spin_lock>("pthread_spin_lock")(lock);
  }
  const int error = lock_spinning(lock, ORRERY_LOCK_WAIT, ORRERY_CALLER);
  *lock = 1;
  return error;
}

int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_spin_trylock>("pthread_spin_trylock")(lock);
  }
  const int error = lock_spinning(lock, ORRERY_LOCK_TRY, ORRERY_CALLER);
  if (error == 0) *lock = 1;
  return error;
}

int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_spin_unlock>("pthread_spin_unlock")(lock);
  }
  int* const word = const_cast<int*>(lock);
  const bool is_done = is_done_alone<&OrreryRuntime::mutex_unlock_alone>(word);
  const int error =
      is_done ? 0 : guarded_runtime().mutex_unlock(word, ORRERY_MUTEX_MARKED, ORRERY_CALLER);
  *lock = 0;
  return error;
}
}
