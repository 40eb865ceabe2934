// Condition variables.  A wait is two operations, as in the simulated machine: where it begins, and
// gives up the mutex; and the lock of the mutex where it ends, or its deadline and that lock.
#include <cerrno>
#include <ctime>

#include <dlfcn.h>
#include <pthread.h>

#include "locked_objects.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;
using orrery::OperationKind;

namespace {

/// glibc has them twice: those of before 2003 have another layout.
template <typename Function>
Function next_condition(const char* name) {
  void* const found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  return reinterpret_cast<Function>(found != nullptr ? found : dlsym(RTLD_NEXT, name));
}

template <typename Wait>
int wait_recorded(pthread_cond_t* condition, pthread_mutex_t* mutex, const Wait& wait) {
  ThreadRecord* const own = recorded();
  SharedObject* const lock = own != nullptr ? shared_object(mutex) : nullptr;
  SharedObject* const object = lock != nullptr ? shared_object(condition) : nullptr;
  if (object == nullptr) return wait();
  {
    const std::lock_guard held(object->guard);
    const Turn given = give_back(*own, *lock, last_stamp(*object));
    Turn turn = turn_at(*own, *object, object->word.load(std::memory_order_relaxed));
    turn.stamp = given.stamp;
    object->word.store(own->word_after(turn), std::memory_order_relaxed);
    own->count(OperationKind::condition_wait, turn, given);
  }
  const int error = wait();
  const bool is_lost = error == ENOTRECOVERABLE;
  const bool has_refused = error != 0 && error != ETIMEDOUT && error != EOWNERDEAD && !is_lost;
  if (has_refused) {
    took(*own, *lock, OperationKind::mutex_lock);
    return error;
  }
  own->learn(last_stamp(*object));
  if (error == ETIMEDOUT) own->count_timeout(own->stamp_after(0));
  if (is_lost) {
    found_lost(*own, *lock, OperationKind::mutex_lock);
  } else {
    took(*own, *lock, OperationKind::mutex_lock);
  }
  return error;
}

void notify_recorded(pthread_cond_t* condition) {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(condition) : nullptr;
  if (object == nullptr) return;
  own->before_operation();
  own->count(OperationKind::condition_notify, next_turn(*own, *object, [](const SharedObject&) {}));
}

}  // namespace

ORRERY_RECORDED int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static const auto real_one =
      next_condition<int (*)(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait");
  return wait_recorded(condition, mutex, [=] { return real_one(condition, mutex); });
}

ORRERY_RECORDED int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           const timespec* date) {
  using Function = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  static const auto real_one = next_condition<Function>("pthread_cond_timedwait");
  return wait_recorded(condition, mutex, [=] { return real_one(condition, mutex, date); });
}

ORRERY_RECORDED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           clockid_t clock, const timespec* date) {
  return wait_recorded(condition, mutex, [=] {
    return next<&::pthread_cond_clockwait>("pthread_cond_clockwait")(condition, mutex, clock, date);
  });
}

ORRERY_RECORDED int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  static const auto real_one = next_condition<int (*)(pthread_cond_t*)>("pthread_cond_signal");
  notify_recorded(condition);
  return real_one(condition);
}

ORRERY_RECORDED int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  static const auto real_one = next_condition<int (*)(pthread_cond_t*)>("pthread_cond_broadcast");
  notify_recorded(condition);
  return real_one(condition);
}
