// Cancellation.  Who asks for it and who acts on it are operations on one object, a semaphore that
// the former releases, and the thread's file has where it acted: in which of the functions in which
// it may, and whether that had begun.
#include <cerrno>
#include <ctime>

#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include "cancellation.hpp"
#include "known_threads.hpp"
#include "locked_objects.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;
using orrery::OperationKind;

namespace {

/// The thread is in such a function.  It leaves it without coming back where it was cancelled.
class Point {
 public:
  explicit Point(ThreadRecord& own) : own_(own) { own_.cancellation().begin(); }
  ~Point() {
    own_.cancellation().is_at_point = false;
    if (has_returned_) return;
    SharedObject* const requests = shared_object(&own_.cancellation());
    if (requests == nullptr) return;
    own_.header().cancelled_at = own_.cancellation().place;
    count_next(own_, *requests, OperationKind::semaphore_acquire);
  }
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;
  void has_returned() { has_returned_ = true; }

 private:
  ThreadRecord& own_;
  bool has_returned_ = false;
};

int call_at_point(CancellableCall call, void* context) {
  ThreadRecord* const own = recorded();
  if (own == nullptr || own->cancellation().is_at_point) return call(context);
  Point point(*own);
  next<&::pthread_testcancel>("pthread_testcancel")();
  const int result = call(context);
  point.has_returned();
  return result;
}

/// As soon as the library is there.
[[gnu::constructor]] void begin() {
  at_cancellation_point = call_at_point;
}

}  // namespace

ORRERY_RECORDED int pthread_cancel(pthread_t handle) {
  const auto real_one = next<&::pthread_cancel>("pthread_cancel");
  ThreadRecord* const own = recorded();
  ThreadRecord* const target = own != nullptr ? known_thread(handle) : nullptr;
  SharedObject* const requests =
      target != nullptr ? shared_object(&target->cancellation()) : nullptr;
  if (requests == nullptr) return real_one(handle);
  process_record.note(orrery::thread_spool::cancellation);
  own->before_operation();
  count_next(*own, *requests, OperationKind::semaphore_release);
  return real_one(handle);
}

ORRERY_RECORDED void pthread_testcancel() {
  cancellable([] {
    next<&::pthread_testcancel>("pthread_testcancel")();
    return 0;
  });
}

// --- sleeping: nothing that is in the log, but for that -----------------------------------------

ORRERY_RECORDED unsigned sleep(unsigned seconds) {
  return static_cast<unsigned>(
      cancellable([=] { return static_cast<int>(next<&::sleep>("sleep")(seconds)); }));
}

ORRERY_RECORDED int usleep(useconds_t microseconds) {
  return cancellable([=] { return next<&::usleep>("usleep")(microseconds); });
}

ORRERY_RECORDED int nanosleep(const timespec* duration, timespec* rest) {
  return cancellable([=] { return next<&::nanosleep>("nanosleep")(duration, rest); });
}

ORRERY_RECORDED int thrd_sleep(const timespec* duration, timespec* rest) {
  return cancellable([=] { return next<&::thrd_sleep>("thrd_sleep")(duration, rest); });
}
