// The system call by its number: what the C++ library and others wait with.
#include <cerrno>
#include <climits>
#include <cstdarg>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "next_function.hpp"
#include "program_clock.hpp"
#include "rank_context.hpp"
#include "refused_call.hpp"
#include "threads.hpp"

using orrery::host::deadline_after;
using orrery::host::deadline_of;
using orrery::host::guarded_runtime;
using orrery::host::original;
using orrery::host::running;

#define ORRERY_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace {

long answer(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

/// The arguments of a futex call, as the kernel takes them.
struct FutexCall {
  std::uint32_t* word;
  int operation;
  std::uint32_t value;
  const timespec* timeout;  ///< or, of some operations, the second value
  std::uint32_t* other;
  std::uint32_t third;
};

long futex(const FutexCall& call, std::uintptr_t program_counter) {
  const OrreryRuntime& runtime = guarded_runtime();
  const clockid_t clock =
      (call.operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  const auto count = [](std::uintptr_t value) {
    return value > INT_MAX ? INT_MAX : static_cast<int>(value);
  };
  switch (call.operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      return answer(runtime.futex_wait(call.word, call.value, FUTEX_BITSET_MATCH_ANY,
                                       deadline_after(call.timeout), program_counter));
    case FUTEX_WAIT_BITSET: {
      const auto deadline =
          call.timeout != nullptr ? deadline_of(clock, *call.timeout) : ORRERY_NEVER;
      return answer(
          runtime.futex_wait(call.word, call.value, call.third, deadline, program_counter));
    }
    case FUTEX_WAKE:
      return runtime.futex_wake(call.word, count(call.value), FUTEX_BITSET_MATCH_ANY, nullptr, 0,
                                program_counter);
    case FUTEX_WAKE_BITSET:
      return runtime.futex_wake(call.word, count(call.value), call.third, nullptr, 0,
                                program_counter);
    case FUTEX_CMP_REQUEUE:
      if (*call.word != call.third) return answer(EAGAIN);
      [[fallthrough]];
    case FUTEX_REQUEUE:
      return runtime.futex_wake(call.word, count(call.value), FUTEX_BITSET_MATCH_ANY, call.other,
                                count(reinterpret_cast<std::uintptr_t>(call.timeout)),
                                program_counter);
    default: return answer(ENOSYS);
  }
}

}  // namespace

extern "C" {

extern const char orrery_interposed_futex;
const char orrery_interposed_futex = 0;

long syscall(long number, ...) noexcept {
  std::va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  if (running().user != nullptr && number == SYS_futex) {
    const FutexCall call{reinterpret_cast<std::uint32_t*>(arguments[0]),
                         static_cast<int>(arguments[1]),
                         static_cast<std::uint32_t>(arguments[2]),
                         reinterpret_cast<const timespec*>(arguments[3]),
                         reinterpret_cast<std::uint32_t*>(arguments[4]),
                         static_cast<std::uint32_t>(arguments[5])};
    return futex(call, ORRERY_CALLER);
  }
  if (running().user != nullptr && number == SYS_gettid) {
    return static_cast<long>(running().thread->handle());
  }
  orrery::host::refuse_system_call(number);
  return original<&syscall>("syscall")(number, arguments[0], arguments[1], arguments[2],
                                       arguments[3], arguments[4], arguments[5]);
}
}
