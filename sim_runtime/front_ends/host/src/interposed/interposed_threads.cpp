// Threads: in a rank they are tasks of the machine.
#include <cerrno>
#include <cstring>
#include <mutex>

#include <pthread.h>
#include <sched.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/passed_guards.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/program_identity.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"

using orrery::host::CancellationPoint;
using orrery::host::come_to_made;
using orrery::host::ComputingScope;
using orrery::host::find_thread;
using orrery::host::guarded_runtime;
using orrery::host::has_begun;
using orrery::host::has_made;
using orrery::host::HostScope;
using orrery::host::is_in_common_module;
using orrery::host::join_thread;
using orrery::host::original;
using orrery::host::running;
using orrery::host::ThreadContext;

namespace {

int try_join(pthread_t handle, void** result, std::uintptr_t program_counter) {
  const ThreadContext* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (!thread->has_ended) {
    guarded_runtime().yield(program_counter);
    return EBUSY;
  }
  return join_thread(handle, result, ORRERY_NEVER, program_counter);
}

bool is_guard_of_the_host(const std::int64_t* guard) {
  return running().user == nullptr || is_in_common_module(guard);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_threads;
const char orrery_interposed_threads = 0;

// --- beginning and ending ---------------------------------------------------------------------

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_create>("pthread_create")(handle, attributes, function, argument);
  }
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  *handle = orrery::host::start_thread(function, argument, state == PTHREAD_CREATE_DETACHED,
                                       ORRERY_CALLER)
                .shown_handle();
  return 0;
}

int pthread_join(pthread_t handle, void** result) {
  if (running().user == nullptr) return original<&pthread_join>("pthread_join")(handle, result);
  const CancellationPoint point(ORRERY_CALLER);
  return join_thread(handle, result, ORRERY_NEVER, ORRERY_CALLER);
}

int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_tryjoin_np>("pthread_tryjoin_np")(handle, result);
  }
  return try_join(handle, result, ORRERY_CALLER);
}

int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* date) {
  if (running().user == nullptr) {
    return original<&pthread_timedjoin_np>("pthread_timedjoin_np")(handle, result, date);
  }
  const CancellationPoint point(ORRERY_CALLER);
  return join_thread(handle, result, orrery::host::deadline_of(CLOCK_REALTIME, *date),
                     ORRERY_CALLER);
}

int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* date) {
  if (running().user == nullptr) {
    return original<&pthread_clockjoin_np>("pthread_clockjoin_np")(handle, result, clock, date);
  }
  const CancellationPoint point(ORRERY_CALLER);
  return join_thread(handle, result, orrery::host::deadline_of(clock, *date), ORRERY_CALLER);
}

int pthread_detach(pthread_t handle) noexcept {
  if (running().user == nullptr) return original<&pthread_detach>("pthread_detach")(handle);
  ThreadContext* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (thread->is_detached) return EINVAL;
  thread->is_detached = true;
  if (!thread->has_ended) guarded_runtime().thread_detach(thread->number);
  return 0;
}

void pthread_exit(void* result) {
  if (running().user != nullptr) orrery::host::leave_thread(result);
  original<&pthread_exit>("pthread_exit")(result);
  __builtin_unreachable();
}

pthread_t pthread_self() noexcept {
  const ThreadContext* const thread = running().thread;
  if (running().user != nullptr && thread != nullptr) return thread->shown_handle();
  return original<&pthread_self>("pthread_self")();
}

pthread_t thrd_current() noexcept {
  return pthread_self();
}

// --- what a thread is -------------------------------------------------------------------------

int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_setname_np>("pthread_setname_np")(handle, name);
  }
  constexpr std::size_t name_bytes_max = 16;
  const ThreadContext* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (std::strlen(name) >= name_bytes_max) return ERANGE;
  guarded_runtime().thread_name(thread->number, name);
  return 0;
}

int pthread_getname_np(pthread_t handle, char* name, size_t size) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_getname_np>("pthread_getname_np")(handle, name, size);
  }
  const ThreadContext* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  return guarded_runtime().thread_get_name(thread->number, name, size) != 0 ? 0 : ERANGE;
}

int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_getattr_np>("pthread_getattr_np")(handle, attributes);
  }
  const ThreadContext* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  pthread_attr_init(attributes);
  void* bottom = nullptr;
  std::size_t size = 0;
  guarded_runtime().thread_stack(thread->number, &bottom, &size);
  if (bottom != nullptr) pthread_attr_setstack(attributes, bottom, size);
  pthread_attr_setdetachstate(
      attributes, thread->is_detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  return 0;
}

// Which core a thread runs on means nothing here: a wish is accepted.
int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t* cores) noexcept {
  if (running().user != nullptr) return find_thread(handle) != nullptr ? 0 : ESRCH;
  return original<&pthread_setaffinity_np>("pthread_setaffinity_np")(handle, size, cores);
}

int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t* cores) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_getaffinity_np>("pthread_getaffinity_np")(handle, size, cores);
  }
  CPU_ZERO_S(size, cores);
  const int count = orrery::host::own_processor_count();
  for (int core = 0; core < count; ++core) CPU_SET_S(core, size, cores);
  return 0;
}

int pthread_setschedparam(pthread_t handle, int policy, const sched_param* parameters) noexcept {
  if (running().user != nullptr) return find_thread(handle) != nullptr ? 0 : ESRCH;
  return original<&pthread_setschedparam>("pthread_setschedparam")(handle, policy, parameters);
}

int pthread_getschedparam(pthread_t handle, int* policy, sched_param* parameters) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_getschedparam>("pthread_getschedparam")(handle, policy, parameters);
  }
  *policy = SCHED_OTHER;
  parameters->sched_priority = 0;
  return 0;
}

// --- doing once -------------------------------------------------------------------------------

int pthread_once(pthread_once_t* control, void (*function)()) {
  if (running().user == nullptr) {
    return original<&pthread_once>("pthread_once")(control, function);
  }
  if (is_in_common_module(control)) {
    const HostScope ours;  // what a library makes once, it makes for all runs
    return original<&pthread_once>("pthread_once")(control, function);
  }
  // What std::call_once hands over lies in variables of the library, which others use meanwhile.
  void* const callable = std::__once_callable;
  void (*const call)() = std::__once_call;
  const auto place = ORRERY_CALLER;
  ComputingScope::charge_ahead(place);
  const bool is_first = guarded_runtime().once_begin(control, *control, place) != 0;
  std::__once_callable = callable;
  std::__once_call = call;
  if (!is_first) return 0;
  constexpr pthread_once_t has_begun = 1;
  constexpr pthread_once_t is_done = 2;
  *control = has_begun;
  try {
    function();
  } catch (...) {
    guarded_runtime().once_end(control, 0, place);
    *control = PTHREAD_ONCE_INIT;
    throw;
  }
  guarded_runtime().once_end(control, 1, place);
  *control = is_done;
  return 0;
}

// The guards of static variables: the first byte says that it is done, and compilers look at it;
// the second, that it has begun.
int __cxa_guard_acquire(std::int64_t* guard) noexcept {
  if (is_guard_of_the_host(guard)) {
    return original<&__cxa_guard_acquire>("__cxa_guard_acquire")(guard);
  }
  char* const bytes = reinterpret_cast<char*>(guard);
  // Code that does not look at it first (gcc, of the plain image) is to do as code that does.
  if (bytes[0] != 0) {
    come_to_made(guard, ORRERY_CALLER);
    return 0;
  }
  ComputingScope::charge_ahead(ORRERY_CALLER);
  const int is_marked = bytes[1] != 0 ? 1 : 0;
  const int is_first = guarded_runtime().once_begin(guard, is_marked, ORRERY_CALLER);
  if (is_first != 0) bytes[1] = 1;
  has_begun(guard, is_first != 0);
  return is_first;
}

void __cxa_guard_release(std::int64_t* guard) noexcept {
  if (is_guard_of_the_host(guard)) {
    return original<&__cxa_guard_release>("__cxa_guard_release")(guard);
  }
  guarded_runtime().once_end(guard, 1, ORRERY_CALLER);
  has_made(guard);
  reinterpret_cast<char*>(guard)[0] = 1;
}

void __cxa_guard_abort(std::int64_t* guard) noexcept {
  if (is_guard_of_the_host(guard)) return original<&__cxa_guard_abort>("__cxa_guard_abort")(guard);
  guarded_runtime().once_end(guard, 0, ORRERY_CALLER);
  reinterpret_cast<char*>(guard)[1] = 0;
}
}
