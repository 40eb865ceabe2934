// Semaphores and barriers: in a rank they are the machine's.
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <deque>

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"

using orrery::host::CancellationPoint;
using orrery::host::deadline_of;
using orrery::host::guarded_runtime;
using orrery::host::HostScope;
using orrery::host::is_date;
using orrery::host::is_done_alone;
using orrery::host::NamedSemaphore;
using orrery::host::original;
using orrery::host::running;

namespace {

/// As the semaphore functions have it: errno, and -1.
int answer(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int acquire(sem_t* semaphore, OrreryLockMode mode, std::int64_t deadline,
            std::uintptr_t program_counter) {
  if (is_done_alone<&OrreryRuntime::semaphore_acquire_alone>(semaphore)) return 0;
  return answer(guarded_runtime().semaphore_acquire(semaphore, mode, deadline, program_counter));
}

int wait_until(sem_t* semaphore, clockid_t clock, const timespec& date,
               std::uintptr_t program_counter) {
  if (!is_date(date)) return answer(EINVAL);
  const CancellationPoint point(program_counter);
  return acquire(semaphore, ORRERY_LOCK_WAIT, deadline_of(clock, date), program_counter);
}

NamedSemaphore* find(std::deque<NamedSemaphore>& known, const char* name) {
  for (NamedSemaphore& one : known) {
    if (one.is_linked && one.name == name) return &one;
  }
  return nullptr;
}

sem_t* failure(int error) {
  errno = error;
  return SEM_FAILED;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_semaphores;
const char orrery_interposed_semaphores = 0;

int sem_init(sem_t* semaphore, int is_shared, unsigned count) noexcept {
  const int error = original<&sem_init>("sem_init")(semaphore, is_shared, count);
  if (running().user != nullptr && error == 0) guarded_runtime().semaphore_set(semaphore, count);
  return error;
}

int sem_destroy(sem_t* semaphore) noexcept {
  if (running().user == nullptr) return original<&sem_destroy>("sem_destroy")(semaphore);
  guarded_runtime().object_destroy(semaphore, ORRERY_CALLER);
  return 0;
}

int sem_wait(sem_t* semaphore) {
  if (running().user == nullptr) return original<&sem_wait>("sem_wait")(semaphore);
  const CancellationPoint point(ORRERY_CALLER);
  return acquire(semaphore, ORRERY_LOCK_WAIT, ORRERY_NEVER, ORRERY_CALLER);
}

int sem_trywait(sem_t* semaphore) noexcept {
  if (running().user == nullptr) return original<&sem_trywait>("sem_trywait")(semaphore);
  return acquire(semaphore, ORRERY_LOCK_TRY, ORRERY_NEVER, ORRERY_CALLER);
}

int sem_timedwait(sem_t* semaphore, const timespec* date) {
  if (running().user == nullptr) return original<&sem_timedwait>("sem_timedwait")(semaphore, date);
  return wait_until(semaphore, CLOCK_REALTIME, *date, ORRERY_CALLER);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* date) {
  if (running().user == nullptr) {
    return original<&sem_clockwait>("sem_clockwait")(semaphore, clock, date);
  }
  return wait_until(semaphore, clock, *date, ORRERY_CALLER);
}

int sem_post(sem_t* semaphore) noexcept {
  if (running().user == nullptr) return original<&sem_post>("sem_post")(semaphore);
  if (is_done_alone<&OrreryRuntime::semaphore_release_alone>(semaphore)) return 0;
  guarded_runtime().semaphore_release(semaphore, ORRERY_CALLER);
  return 0;
}

int sem_getvalue(sem_t* semaphore, int* value) noexcept {
  if (running().user == nullptr) return original<&sem_getvalue>("sem_getvalue")(semaphore, value);
  *value = static_cast<int>(guarded_runtime().semaphore_count(semaphore));
  return 0;
}

// Named ones: of the program alone, and gone when the run ends.
sem_t* sem_open(const char* name, int flags, ...) noexcept {
  std::va_list rest;
  va_start(rest, flags);
  const bool creates = (flags & O_CREAT) != 0;
  const auto mode = creates ? va_arg(rest, unsigned) : 0U;
  const auto count = creates ? va_arg(rest, unsigned) : 0U;
  va_end(rest);
  if (running().user == nullptr) return original<&sem_open>("sem_open")(name, flags, mode, count);
  auto& known = running().user->named_semaphores;
  NamedSemaphore* const found = find(known, name);
  if (found != nullptr && creates && (flags & O_EXCL) != 0) return failure(EEXIST);
  if (found == nullptr && !creates) return failure(ENOENT);
  if (count > SEM_VALUE_MAX) return failure(EINVAL);
  if (found != nullptr) return &found->semaphore;
  NamedSemaphore* made = nullptr;
  {
    const HostScope ours;
    made = &known.emplace_back();
    made->name = name;
  }
  guarded_runtime().semaphore_set(&made->semaphore, count);
  return &made->semaphore;
}

int sem_close(sem_t* semaphore) noexcept {
  if (running().user == nullptr) return original<&sem_close>("sem_close")(semaphore);
  return 0;  // it stays until it is unlinked, or the run ends
}

int sem_unlink(const char* name) noexcept {
  if (running().user == nullptr) return original<&sem_unlink>("sem_unlink")(name);
  auto& known = running().user->named_semaphores;
  NamedSemaphore* const found = find(known, name);
  if (found == nullptr) return answer(ENOENT);
  found->is_linked = false;  // who has it open goes on with it
  return 0;
}

// --- barriers ---------------------------------------------------------------------------------

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                         unsigned count) noexcept {
  const int error =
      original<&pthread_barrier_init>("pthread_barrier_init")(barrier, attributes, count);
  if (running().user != nullptr && error == 0) guarded_runtime().barrier_set(barrier, count);
  return error;
}

int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_barrier_destroy>("pthread_barrier_destroy")(barrier);
  }
  guarded_runtime().object_destroy(barrier, ORRERY_CALLER);
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_barrier_wait>("pthread_barrier_wait")(barrier);
  }
  const bool is_last = guarded_runtime().barrier_wait(barrier, ORRERY_CALLER) != 0;
  return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
}
