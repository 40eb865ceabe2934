// Cancellation: in a rank its threads are tasks of the machine.
#include <cerrno>

#include <pthread.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"

using orrery::host::CancellationPoint;
using orrery::host::CleanupFrame;
using orrery::host::guarded_runtime;
using orrery::host::original;
using orrery::host::running;

extern "C" {

extern const char orrery_interposed_cancellation;
const char orrery_interposed_cancellation = 0;

int pthread_cancel(pthread_t handle) {
  if (running().user == nullptr) return original<&pthread_cancel>("pthread_cancel")(handle);
  orrery::host::ThreadContext* const thread = orrery::host::find_thread(handle);
  if (thread == nullptr) return ESRCH;
  orrery::host::cancel(*thread, ORRERY_CALLER);
  return 0;
}

int pthread_setcancelstate(int state, int* old_state) {
  if (running().user == nullptr) {
    return original<&pthread_setcancelstate>("pthread_setcancelstate")(state, old_state);
  }
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  bool& is_enabled = running().thread->cancellation.is_enabled;
  if (old_state != nullptr) {
    *old_state = is_enabled ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE;
  }
  is_enabled = state == PTHREAD_CANCEL_ENABLE;
  return 0;
}

int pthread_setcanceltype(int type, int* old_type) {
  if (running().user == nullptr) {
    return original<&pthread_setcanceltype>("pthread_setcanceltype")(type, old_type);
  }
  // Asynchronous cancellation acts at the next cancellation point, which the standard allows.
  if (old_type != nullptr) *old_type = PTHREAD_CANCEL_DEFERRED;
  return 0;
}

void pthread_testcancel() {
  if (running().user == nullptr) return original<&pthread_testcancel>("pthread_testcancel")();
  const CancellationPoint point(ORRERY_CALLER);
  // A thread may do nothing else until it is cancelled.
  constexpr std::uint64_t tests_before_yield = 100;
  const std::uint64_t place = running().thread->cancellation.place;
  if (place % (2 * tests_before_yield) == 0) guarded_runtime().yield(ORRERY_CALLER);
}

// What `pthread_cleanup_push` and `pop` are made of in C.
void __pthread_register_cancel(CleanupFrame* frame) {
  if (running().user == nullptr) {
    return original<&__pthread_register_cancel>("__pthread_register_cancel")(frame);
  }
  frame->__pad[0] = running().thread->cleanup_frames;
  running().thread->cleanup_frames = frame;
}

void __pthread_unregister_cancel(CleanupFrame* frame) {
  if (running().user == nullptr) {
    return original<&__pthread_unregister_cancel>("__pthread_unregister_cancel")(frame);
  }
  running().thread->cleanup_frames = static_cast<CleanupFrame*>(frame->__pad[0]);
}

void __pthread_unwind_next(CleanupFrame* frame) {
  if (running().user != nullptr) orrery::host::unwind_thread(*running().thread);
  original<&__pthread_unwind_next>("__pthread_unwind_next")(frame);
  __builtin_unreachable();
}
}
