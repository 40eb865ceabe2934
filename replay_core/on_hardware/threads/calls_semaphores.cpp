// Semaphores and barriers.
#include <cerrno>
#include <cstdarg>
#include <ctime>

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

#include "cancellation.hpp"
#include "locked_objects.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;
using orrery::OperationKind;

namespace {

void set(const sem_t* semaphore, std::int64_t count) {
  SharedObject* const object = recorded() != nullptr ? shared_object(semaphore) : nullptr;
  if (object == nullptr) return;
  const std::lock_guard held(object->guard);
  object->count = count;
}

void acquired(ThreadRecord& own, SharedObject& object, OperationKind kind) {
  count_next(own, object, kind, [](SharedObject& one) { --one.count; });
}

/// A wait that may end by its deadline.
template <typename Wait>
int wait_recorded(const sem_t* semaphore, const Wait& wait) {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(semaphore) : nullptr;
  if (object == nullptr) return wait();
  return cancellable([&] {
    own->before_operation();
    const int result = wait();
    if (result == 0) {
      acquired(*own, *object, OperationKind::semaphore_acquire);
    } else if (errno == ETIMEDOUT) {
      own->count_timeout(own->stamp_after(last_stamp(*object)));
      errno = ETIMEDOUT;
    }
    return result;
  });
}

}  // namespace

// --- semaphores -------------------------------------------------------------------------------

ORRERY_RECORDED int sem_init(sem_t* semaphore, int is_shared, unsigned count) noexcept {
  set(semaphore, count);
  if (is_shared != 0 && recorded() != nullptr) {
    process_record.note(orrery::thread_spool::shared_objects);
  }
  return next<&::sem_init>("sem_init")(semaphore, is_shared, count);
}

// What it was: nothing orders it behind what others do.
ORRERY_RECORDED int sem_getvalue(sem_t* semaphore, int* value) noexcept {
  const int result = next<&::sem_getvalue>("sem_getvalue")(semaphore, value);
  ThreadRecord* const own = recorded();
  if (own != nullptr && result == 0) readings().drew(static_cast<std::uint64_t>(*value));
  return result;
}

ORRERY_RECORDED sem_t* sem_open(const char* name, int flags, ...) noexcept {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  const unsigned value = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  sem_t* const opened = next<&::sem_open>("sem_open")(name, flags, mode, value);
  int count = 0;
  if (opened != SEM_FAILED && next<&::sem_getvalue>("sem_getvalue")(opened, &count) == 0)
    set(opened, count);
  if (recorded() != nullptr) process_record.note(orrery::thread_spool::shared_objects);
  return opened;
}

ORRERY_RECORDED int sem_wait(sem_t* semaphore) {
  return wait_recorded(semaphore, [=] { return next<&::sem_wait>("sem_wait")(semaphore); });
}

ORRERY_RECORDED int sem_timedwait(sem_t* semaphore, const timespec* date) {
  return wait_recorded(semaphore,
                       [=] { return next<&::sem_timedwait>("sem_timedwait")(semaphore, date); });
}

ORRERY_RECORDED int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* date) {
  return wait_recorded(
      semaphore, [=] { return next<&::sem_clockwait>("sem_clockwait")(semaphore, clock, date); });
}

ORRERY_RECORDED int sem_trywait(sem_t* semaphore) noexcept {
  const auto real_one = next<&::sem_trywait>("sem_trywait");
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(semaphore) : nullptr;
  if (object == nullptr) return real_one(semaphore);
  own->before_operation();
  bool is_patient = true;
  bool is_counted = false;
  for (Patience patience;;) {
    const int result = real_one(semaphore);
    if (result == 0) {
      acquired(*own, *object, OperationKind::semaphore_try_acquire);
      return result;
    }
    if (errno != EAGAIN) return result;
    // Whoever has just taken one has not said so yet.
    count_failed_try(*own, *object, OperationKind::semaphore_try_acquire, is_counted,
                     [&](const SharedObject& one) { return !is_patient || one.count <= 0; });
    errno = EAGAIN;
    if (is_counted) return result;
    is_patient = patience.wait();
  }
}

ORRERY_RECORDED int sem_post(sem_t* semaphore) noexcept {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(semaphore) : nullptr;
  if (object != nullptr) {
    own->before_operation();
    count_next(*own, *object, OperationKind::semaphore_release,
               [](SharedObject& one) { ++one.count; });
  }
  return next<&::sem_post>("sem_post")(semaphore);
}

// --- barriers ---------------------------------------------------------------------------------

ORRERY_RECORDED int pthread_barrier_init(pthread_barrier_t* barrier,
                                         const pthread_barrierattr_t* attributes,
                                         unsigned count) noexcept {
  SharedObject* const object = recorded() != nullptr ? shared_object(barrier) : nullptr;
  if (object != nullptr) {
    object->limit = count;
    object->count = 0;
  }
  return next<&::pthread_barrier_init>("pthread_barrier_init")(barrier, attributes, count);
}

ORRERY_RECORDED int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  const auto real_one = next<&::pthread_barrier_wait>("pthread_barrier_wait");
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(barrier) : nullptr;
  if (object == nullptr || object->limit == 0) return real_one(barrier);
  own->before_operation();
  bool is_last = false;
  count_next(*own, *object, OperationKind::barrier_arrive, [&is_last](SharedObject& one) {
    is_last = ++one.count == one.limit;
    if (is_last) one.count = 0;
  });
  const int error = real_one(barrier);
  own->learn(last_stamp(*object));
  if (error != 0 && error != PTHREAD_BARRIER_SERIAL_THREAD) return error;
  // Any one of them may be told so: let it be who has the last stamp.
  return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
