// Condition variables.  A wait is two operations, as in the simulated machine: where it begins, and
// gives up the mutex; and the lock of the mutex where it ends, or its deadline and that lock.
#include <cerrno>
#include <ctime>

#include <pthread.h>

#include "cancellation.hpp"
#include "locked_objects.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;
using orrery::OperationKind;

namespace {

/// glibc has them twice: those of before 2003 have another layout.
constexpr const char* with_this_layout = "GLIBC_2.3.2";

/// A thread that waits: from where it gives up its mutex to where it has it again.
class Waiter {
 public:
  Waiter(ThreadRecord& own, SharedObject& condition, SharedObject& mutex)
      : own_(own), condition_(condition), mutex_(mutex) {
    const std::lock_guard held(condition_.guard);
    const Turn given = give_back(own_, mutex_, last_stamp(condition_));
    Turn turn = turn_at(own_, condition_, condition_.word.load(std::memory_order_relaxed));
    turn.stamp = given.stamp;
    condition_.word.store(own_.word_after(turn), std::memory_order_relaxed);
    own_.count(OperationKind::condition_wait, turn, given);
    own_.cancellation().has_begun();
  }
  /// It was cancelled: the C library has taken the mutex for who cleans up.
  ~Waiter() {
    if (is_over_) return;
    const SharedObject* const requests = shared_object(&own_.cancellation());
    if (requests != nullptr) own_.learn(last_stamp(*requests));
    static_cast<void>(end(ETIMEDOUT));
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  /// By what the wait came to, which it returns.
  int end(int error) {
    is_over_ = true;
    const bool is_lost = error == ENOTRECOVERABLE;
    const bool has_refused = error != 0 && error != ETIMEDOUT && error != EOWNERDEAD && !is_lost;
    if (!has_refused) own_.learn(last_stamp(condition_));
    if (error == ETIMEDOUT) own_.count_timeout(own_.stamp_after(0));
    if (is_lost) {
      found_lost(own_, mutex_, OperationKind::mutex_lock);
    } else {
      took(own_, mutex_, OperationKind::mutex_lock);
    }
    return error;
  }

 private:
  ThreadRecord& own_;
  SharedObject& condition_;
  SharedObject& mutex_;
  bool is_over_ = false;
};

template <typename Wait>
int wait_recorded(pthread_cond_t* condition, pthread_mutex_t* mutex, const Wait& wait) {
  ThreadRecord* const own = recorded();
  SharedObject* const lock = own != nullptr ? shared_object(mutex) : nullptr;
  SharedObject* const object = lock != nullptr ? shared_object(condition) : nullptr;
  if (object == nullptr) return wait();
  // It holds the mutex: whoever notifies without it may come now, and is not heard.
  own->before_operation();
  return cancellable([&] {
    Waiter waiter(*own, *object, *lock);
    return waiter.end(wait());
  });
}

void notify_recorded(pthread_cond_t* condition) {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(condition) : nullptr;
  if (object == nullptr) return;
  own->before_operation();
  count_next(*own, *object, OperationKind::condition_notify);
}

}  // namespace

ORRERY_RECORDED int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static constinit NextFunction<int (*)(pthread_cond_t*, pthread_mutex_t*)> next_one;
  const auto real_one = next_one.by_name("pthread_cond_wait", with_this_layout);
  return wait_recorded(condition, mutex, [=] { return real_one(condition, mutex); });
}

ORRERY_RECORDED int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           const timespec* date) {
  using Function = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  static constinit NextFunction<Function> next_one;
  const auto real_one = next_one.by_name("pthread_cond_timedwait", with_this_layout);
  return wait_recorded(condition, mutex, [=] { return real_one(condition, mutex, date); });
}

ORRERY_RECORDED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           clockid_t clock, const timespec* date) {
  return wait_recorded(condition, mutex, [=] {
    return next<&::pthread_cond_clockwait>("pthread_cond_clockwait")(condition, mutex, clock, date);
  });
}

ORRERY_RECORDED int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  static constinit NextFunction<int (*)(pthread_cond_t*)> real_one;
  notify_recorded(condition);
  return real_one.by_name("pthread_cond_signal", with_this_layout)(condition);
}

ORRERY_RECORDED int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  static constinit NextFunction<int (*)(pthread_cond_t*)> real_one;
  notify_recorded(condition);
  return real_one.by_name("pthread_cond_broadcast", with_this_layout)(condition);
}
