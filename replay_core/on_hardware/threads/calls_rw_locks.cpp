// Reader-writer locks.
#include <cerrno>
#include <ctime>
#include <mutex>

#include <pthread.h>

#include "locked_objects.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;
using orrery::OperationKind;

namespace {

constexpr std::int64_t written = -1;  // as the number of its readers

void acquired(ThreadRecord& own, SharedObject& object, OperationKind kind, bool writes) {
  count_next(own, object, kind,
             [writes](SharedObject& one) { one.count = writes ? written : one.count + 1; });
}

/// As `count_next`, by what it is that it gives back.
void gives_back(ThreadRecord& own, SharedObject& object) {
  const std::lock_guard held(object.guard);
  const bool writes = object.count == written;
  object.count = writes ? 0 : object.count - 1;
  own.count(writes ? OperationKind::mutex_unlock : OperationKind::shared_unlock,
            next_turn(own, object));
}

template <typename Lock>
int lock_recorded(const pthread_rwlock_t* lock, bool writes, const Lock& call) {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(lock) : nullptr;
  if (object == nullptr) return call();
  own->before_operation();
  const int error = call();
  const auto kind = writes ? OperationKind::mutex_lock : OperationKind::shared_lock;
  if (error == 0) acquired(*own, *object, kind, writes);
  if (error == ETIMEDOUT) {
    own->count_timeout(own->stamp_after(last_stamp(*object)));
  }
  return error;
}

template <typename Try>
int try_recorded(const pthread_rwlock_t* lock, bool writes, const Try& try_once) {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(lock) : nullptr;
  if (object == nullptr) return try_once();
  own->before_operation();
  const auto kind = writes ? OperationKind::mutex_try_lock : OperationKind::shared_try_lock;
  bool is_patient = true;
  for (Patience patience;;) {
    const int error = try_once();
    if (error == 0) acquired(*own, *object, kind, writes);
    if (error != EBUSY) return error;
    // Some locks let nobody read who come behind a writer that waits: that is no reason here.
    bool is_counted = false;
    count_failed_try(*own, *object, kind, is_counted, [&](const SharedObject& one) {
      return !is_patient || (writes ? one.count != 0 : one.count == written);
    });
    if (is_counted) return error;
    is_patient = patience.wait();
  }
}

}  // namespace

ORRERY_RECORDED int pthread_rwlock_init(pthread_rwlock_t* lock,
                                        const pthread_rwlockattr_t* attributes) noexcept {
  SharedObject* const object = recorded() != nullptr ? shared_object(lock) : nullptr;
  if (object != nullptr) object->count = 0;
  return next<&::pthread_rwlock_init>("pthread_rwlock_init")(lock, attributes);
}

ORRERY_RECORDED int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return lock_recorded(
      lock, false, [=] { return next<&::pthread_rwlock_rdlock>("pthread_rwlock_rdlock")(lock); });
}

ORRERY_RECORDED int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return lock_recorded(
      lock, true, [=] { return next<&::pthread_rwlock_wrlock>("pthread_rwlock_wrlock")(lock); });
}

ORRERY_RECORDED int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock,
                                               const timespec* date) noexcept {
  return lock_recorded(lock, false, [=] {
    return next<&::pthread_rwlock_timedrdlock>("pthread_rwlock_timedrdlock")(lock, date);
  });
}

ORRERY_RECORDED int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock,
                                               const timespec* date) noexcept {
  return lock_recorded(lock, true, [=] {
    return next<&::pthread_rwlock_timedwrlock>("pthread_rwlock_timedwrlock")(lock, date);
  });
}

ORRERY_RECORDED int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                               const timespec* date) noexcept {
  return lock_recorded(lock, false, [=] {
    return next<&::pthread_rwlock_clockrdlock>("pthread_rwlock_clockrdlock")(lock, clock, date);
  });
}

ORRERY_RECORDED int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                               const timespec* date) noexcept {
  return lock_recorded(lock, true, [=] {
    return next<&::pthread_rwlock_clockwrlock>("pthread_rwlock_clockwrlock")(lock, clock, date);
  });
}

ORRERY_RECORDED int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return try_recorded(lock, false, [=] {
    return next<&::pthread_rwlock_tryrdlock>("pthread_rwlock_tryrdlock")(lock);
  });
}

ORRERY_RECORDED int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return try_recorded(lock, true, [=] {
    return next<&::pthread_rwlock_trywrlock>("pthread_rwlock_trywrlock")(lock);
  });
}

ORRERY_RECORDED int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(lock) : nullptr;
  if (object != nullptr) gives_back(*own, *object);
  return next<&::pthread_rwlock_unlock>("pthread_rwlock_unlock")(lock);
}
