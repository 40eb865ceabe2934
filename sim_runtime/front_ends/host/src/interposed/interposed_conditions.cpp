// Condition variables: in a rank they are the machine's.
#include <cerrno>
#include <ctime>

#include <pthread.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"

using orrery::host::deadline_of;
using orrery::host::guarded_runtime;
using orrery::host::is_date;
using orrery::host::is_done_alone;
using orrery::host::original;
using orrery::host::running;

namespace {

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, std::int64_t deadline,
         std::uintptr_t program_counter) {
  // Whoever is cancelled here holds the mutex again when its cleanup handlers run.
  const int error = guarded_runtime().condition_wait(
      condition, mutex, orrery::host::mutex_flags(*mutex, program_counter), deadline,
      program_counter);
  mutex->__data.__lock = 1;
  return error;
}

void notify(pthread_cond_t* condition, bool all, std::uintptr_t program_counter) {
  if (is_done_alone<&OrreryRuntime::condition_notify_alone>(condition)) return;
  guarded_runtime().condition_notify(condition, all ? 1 : 0, program_counter);
}

/// The clock of a condition variable, as `pthread_cond_init` has noted it.
clockid_t clock_of(const pthread_cond_t& condition) {
  constexpr unsigned is_monotonic = 2;
  return (condition.__data.__wrefs & is_monotonic) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_conditions;
const char orrery_interposed_conditions = 0;

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) noexcept {
  const int error = original<&pthread_cond_init>("pthread_cond_init")(condition, attributes);
  if (running().user != nullptr) guarded_runtime().object_forget(condition);
  return error;
}

int pthread_cond_destroy(pthread_cond_t* condition) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_cond_destroy>("pthread_cond_destroy")(condition);
  }
  guarded_runtime().object_destroy(condition, ORRERY_CALLER);
  return 0;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (running().user == nullptr) {
    return original<&pthread_cond_wait>("pthread_cond_wait")(condition, mutex);
  }
  const orrery::host::CancellationPoint point(ORRERY_CALLER);
  return wait(condition, mutex, ORRERY_NEVER, ORRERY_CALLER);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* date) {
  if (running().user == nullptr) {
    return original<&pthread_cond_timedwait>("pthread_cond_timedwait")(condition, mutex, date);
  }
  if (!is_date(*date)) return EINVAL;
  const orrery::host::CancellationPoint point(ORRERY_CALLER);
  return wait(condition, mutex, deadline_of(clock_of(*condition), *date), ORRERY_CALLER);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* date) {
  if (running().user == nullptr) {
    return original<&pthread_cond_clockwait>("pthread_cond_clockwait")(condition, mutex, clock,
                                                                       date);
  }
  if (!is_date(*date)) return EINVAL;
  const orrery::host::CancellationPoint point(ORRERY_CALLER);
  return wait(condition, mutex, deadline_of(clock, *date), ORRERY_CALLER);
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_cond_signal>("pthread_cond_signal")(condition);
  }
  notify(condition, false, ORRERY_CALLER);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_cond_broadcast>("pthread_cond_broadcast")(condition);
  }
  notify(condition, true, ORRERY_CALLER);
  return 0;
}
}
