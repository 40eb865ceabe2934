// What is done once: pthread_once, and the guards of static variables.  Who does it is recorded;
// whatever others do when it has been done has a larger stamp.
#include <cstdint>
#include <mutex>

#include <pthread.h>

#include "locked_objects.hpp"
#include "next_function.hpp"
#include "program_arenas.hpp"
#include "program_callers.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;
using orrery::OperationKind;

namespace {

void begins(ThreadRecord& own, const volatile void* flag) {
  SharedObject* const object = shared_object(flag);
  if (object == nullptr) return;
  const std::lock_guard held(object->guard);
  own.count_once(next_turn(own, *object));
}

void ends(ThreadRecord& own, const volatile void* flag) {
  SharedObject* const object = shared_object(flag);
  if (object == nullptr) return;
  const std::lock_guard held(object->guard);
  own.count_once_end(next_turn(own, *object));
}

/// The calls of pthread_once that the thread is in: the C library hands no argument on.
struct Attempt {
  pthread_once_t* flag;
  void (*function)();
  Attempt* outer;
};
thread_local Attempt* attempt __attribute__((tls_model("initial-exec"))) = nullptr;

/// Also where the function throws.
class End {
 public:
  explicit End(pthread_once_t* flag) : flag_(flag) {}
  ~End() {
    if (ThreadRecord* const own = recorded()) ends(*own, flag_);
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

 private:
  pthread_once_t* flag_;
};

void do_once() {
  Attempt& own_attempt = *attempt;
  if (ThreadRecord* const own = recorded()) begins(*own, own_attempt.flag);
  const End end(own_attempt.flag);
  attempt = own_attempt.outer;
  own_attempt.function();
}

/// Those of the C++ library are not the program's.
bool is_recorded_guard(const std::int64_t* guard) {
  return recorded() != nullptr && !program_callers().is_cxx_library(guard);
}

}  // namespace

ORRERY_RECORDED int pthread_once(pthread_once_t* flag, void (*function)()) {
  const auto real_one = next<&::pthread_once>("pthread_once");
  ThreadRecord* const own = recorded();
  constexpr pthread_once_t done = 2;
  if (own == nullptr) return real_one(flag, function);
  if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == done) return 0;
  // In simulation, too, what such a library makes once is nothing of the program's.
  if (program_callers().is_common(flag)) {
    const OneOperation inner;
    const OutsideArena theirs;
    return real_one(flag, function);
  }
  Attempt here{flag, function, attempt};
  attempt = &here;
  struct Restored {
    Attempt* outer;
    ~Restored() { attempt = outer; }
  } const restored{here.outer};
  return real_one(flag, do_once);
}

extern "C" {
int __cxa_guard_acquire(std::int64_t*) noexcept;
void __cxa_guard_release(std::int64_t*) noexcept;
void __cxa_guard_abort(std::int64_t*) noexcept;
}

ORRERY_RECORDED int __cxa_guard_acquire(std::int64_t* guard) noexcept {
  const int is_first = [guard] {
    const OneOperation inner;
    return next<&::__cxa_guard_acquire>("__cxa_guard_acquire")(guard);
  }();
  if (is_first != 0 && is_recorded_guard(guard)) begins(*recorded(), guard);
  return is_first;
}

ORRERY_RECORDED void __cxa_guard_release(std::int64_t* guard) noexcept {
  if (is_recorded_guard(guard)) ends(*recorded(), guard);
  const OneOperation inner;
  next<&::__cxa_guard_release>("__cxa_guard_release")(guard);
}

ORRERY_RECORDED void __cxa_guard_abort(std::int64_t* guard) noexcept {
  if (is_recorded_guard(guard)) ends(*recorded(), guard);
  const OneOperation inner;
  next<&::__cxa_guard_abort>("__cxa_guard_abort")(guard);
}
