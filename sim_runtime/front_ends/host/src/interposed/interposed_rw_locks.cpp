// Reader-writer locks: in a rank they are the machine's.
#include <cerrno>
#include <ctime>

#include <pthread.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/rank_context.hpp"

using orrery::host::deadline_of;
using orrery::host::guarded_runtime;
using orrery::host::is_date;
using orrery::host::is_done_alone;
using orrery::host::original;
using orrery::host::running;

namespace {

// Its memory counts who holds it: a lock that is made anew in the same place is told from this one.
int take(pthread_rwlock_t& lock, std::uint32_t mode, std::int64_t deadline,
         std::uintptr_t program_counter) {
  orrery::host::ComputingScope::charge_ahead(program_counter);
  unsigned& holders = lock.__data.__readers;
  if (holders > 0) mode |= ORRERY_LOCK_MARKED;
  const bool is_done = is_done_alone<&OrreryRuntime::rw_lock_alone>(&lock, mode, program_counter);
  const int error = is_done ? 0 : guarded_runtime().rw_lock(&lock, mode, deadline, program_counter);
  if (error == 0) ++holders;
  return error;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_rw_locks;
const char orrery_interposed_rw_locks = 0;

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) noexcept {
  const int error = original<&pthread_rwlock_init>("pthread_rwlock_init")(lock, attributes);
  if (running().user != nullptr) guarded_runtime().object_forget(lock);
  return error;
}

int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_destroy>("pthread_rwlock_destroy")(lock);
  }
  guarded_runtime().object_destroy(lock, ORRERY_CALLER);
  return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_rdlock>("pthread_rwlock_rdlock")(lock);
  }
  return take(*lock, ORRERY_LOCK_SHARED, ORRERY_NEVER, ORRERY_CALLER);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_tryrdlock>("pthread_rwlock_tryrdlock")(lock);
  }
  return take(*lock, ORRERY_LOCK_SHARED | ORRERY_LOCK_TRY, ORRERY_NEVER, ORRERY_CALLER);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* date) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_timedrdlock>("pthread_rwlock_timedrdlock")(lock, date);
  }
  if (!is_date(*date)) return EINVAL;
  return take(*lock, ORRERY_LOCK_SHARED, deadline_of(CLOCK_REALTIME, *date), ORRERY_CALLER);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* date) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_clockrdlock>("pthread_rwlock_clockrdlock")(lock, clock, date);
  }
  if (!is_date(*date)) return EINVAL;
  return take(*lock, ORRERY_LOCK_SHARED, deadline_of(clock, *date), ORRERY_CALLER);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_wrlock>("pthread_rwlock_wrlock")(lock);
  }
  return take(*lock, ORRERY_LOCK_WAIT, ORRERY_NEVER, ORRERY_CALLER);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_trywrlock>("pthread_rwlock_trywrlock")(lock);
  }
  return take(*lock, ORRERY_LOCK_TRY, ORRERY_NEVER, ORRERY_CALLER);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* date) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_timedwrlock>("pthread_rwlock_timedwrlock")(lock, date);
  }
  if (!is_date(*date)) return EINVAL;
  return take(*lock, ORRERY_LOCK_WAIT, deadline_of(CLOCK_REALTIME, *date), ORRERY_CALLER);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* date) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_clockwrlock>("pthread_rwlock_clockwrlock")(lock, clock, date);
  }
  if (!is_date(*date)) return EINVAL;
  return take(*lock, ORRERY_LOCK_WAIT, deadline_of(clock, *date), ORRERY_CALLER);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_rwlock_unlock>("pthread_rwlock_unlock")(lock);
  }
  const bool is_done = is_done_alone<&OrreryRuntime::rw_unlock_alone>(lock);
  const int error = is_done ? 0 : guarded_runtime().rw_unlock(lock, ORRERY_CALLER);
  if (lock->__data.__readers > 0) --lock->__data.__readers;
  return error;
}
}
