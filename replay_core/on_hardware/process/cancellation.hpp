// Functions in which a thread may be cancelled.
#pragma once

#include <pthread.h>

namespace orrery::on_hardware {

using CancellableCall = int (*)(void* context);
/// Does the call, and keeps whether the thread was cancelled in it.
using CallAtPoint = int (*)(CancellableCall call, void* context);
/// Where threads are recorded; null elsewhere.
inline constinit CallAtPoint at_cancellation_point = nullptr;

/// `call` is a function of the C library that may wait, with all that is recorded of it.  Those of
/// a simulated program are the same (`CancellationPoint`): they are counted.
template <typename Call>
int cancellable(Call call) {
  if (at_cancellation_point == nullptr) return call();
  return at_cancellation_point([](void* context) { return (*static_cast<Call*>(context))(); },
                               &call);
}

/// Meanwhile the thread is not: what it has begun it does to the end.
class NotCancelled {
 public:
  NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace orrery::on_hardware
