// System calls by their numbers.  What the C library has a function for is that function, which is
// ours where it has to be; so `syscall(SYS_gettid)` and `gettid()` say the same.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <ctime>
#include <optional>
#include <type_traits>

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "caller.hpp"
#include "files/told_answers.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"
#include "refused_call.hpp"

using orrery::host::deadline_after;
using orrery::host::deadline_of;
using orrery::host::guarded_runtime;
using orrery::host::has_told_answers;
using orrery::host::original;
using orrery::host::running;
using orrery::host::told_answer;
using orrery::host::told_bytes;

namespace {

long call_answer(int error) {
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
      return call_answer(runtime.futex_wait(call.word, call.value, FUTEX_BITSET_MATCH_ANY,
                                            deadline_after(call.timeout), /*is_programs=*/1,
                                            program_counter));
    case FUTEX_WAIT_BITSET: {
      const auto deadline =
          call.timeout != nullptr ? deadline_of(clock, *call.timeout) : ORRERY_NEVER;
      return call_answer(runtime.futex_wait(call.word, call.value, call.third, deadline,
                                            /*is_programs=*/1, program_counter));
    }
    case FUTEX_WAKE:
      return runtime.futex_wake(call.word, count(call.value), FUTEX_BITSET_MATCH_ANY, nullptr, 0,
                                /*is_programs=*/1, program_counter);
    case FUTEX_WAKE_BITSET:
      return runtime.futex_wake(call.word, count(call.value), call.third, nullptr, 0,
                                /*is_programs=*/1, program_counter);
    case FUTEX_CMP_REQUEUE:
      if (*call.word != call.third) return call_answer(EAGAIN);
      [[fallthrough]];
    case FUTEX_REQUEUE:
      return runtime.futex_wake(call.word, count(call.value), FUTEX_BITSET_MATCH_ANY, call.other,
                                count(reinterpret_cast<std::uintptr_t>(call.timeout)),
                                /*is_programs=*/1, program_counter);
    default: return call_answer(ENOSYS);
  }
}

/// The six arguments, as a function of the C library wants them.
class Arguments {
 public:
  explicit Arguments(const long (&words)[6]) : words_(words) {}
  template <typename T>
  [[nodiscard]] T at(int index) const {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<T>(words_[index]);
    } else {
      return static_cast<T>(words_[index]);
    }
  }

 private:
  const long (&words_)[6];
};

/// Calls that ask who and where one is.
std::optional<long> identity(long number, const Arguments& with) {
  switch (number) {
    case SYS_getpid: return getpid();
    case SYS_getppid: return getppid();
    case SYS_gettid: return gettid();
    case SYS_getpgrp: return getpgrp();
    case SYS_uname: return uname(with.at<utsname*>(0));
    case SYS_getcpu: return getcpu(with.at<unsigned*>(0), with.at<unsigned*>(1));
    case SYS_sched_setaffinity: return 0;
    case SYS_sched_getaffinity: {
      // The bare call says how many bytes it has filled.
      const auto size = with.at<std::size_t>(1);
      auto* const cores = with.at<cpu_set_t*>(2);
      const int error = pthread_getaffinity_np(pthread_self(), size, cores);
      if (!has_told_answers()) return error == 0 ? static_cast<long>(size) : call_answer(error);
      const long bytes = told_answer(static_cast<long>(size));
      if (bytes > 0) told_bytes({cores, std::min(static_cast<std::size_t>(bytes), size)});
      return bytes;
    }
    default: return std::nullopt;
  }
}

/// Time, waiting, chance and signals.
std::optional<long> life(long number, const Arguments& with) {
  switch (number) {
    case SYS_sched_yield: return sched_yield();
    case SYS_nanosleep: return nanosleep(with.at<timespec*>(0), with.at<timespec*>(1));
    case SYS_clock_nanosleep:
      return call_answer(clock_nanosleep(with.at<clockid_t>(0), with.at<int>(1),
                                         with.at<timespec*>(2), with.at<timespec*>(3)));
    case SYS_clock_gettime: return clock_gettime(with.at<clockid_t>(0), with.at<timespec*>(1));
    case SYS_time: return time(with.at<time_t*>(0));
    case SYS_getrandom:
      return getrandom(with.at<void*>(0), with.at<std::size_t>(1), with.at<unsigned>(2));
    case SYS_kill: return kill(with.at<pid_t>(0), with.at<int>(1));
    case SYS_tkill: return tgkill(getpid(), with.at<pid_t>(0), with.at<int>(1));
    case SYS_tgkill: return tgkill(with.at<pid_t>(0), with.at<pid_t>(1), with.at<int>(2));
    case SYS_exit_group: _exit(with.at<int>(0));
    default: return std::nullopt;
  }
}

/// Files and memory.
std::optional<long> goods(long number, const Arguments& with) {
  switch (number) {
    case SYS_read: return read(with.at<int>(0), with.at<void*>(1), with.at<std::size_t>(2));
    case SYS_write: return write(with.at<int>(0), with.at<void*>(1), with.at<std::size_t>(2));
    case SYS_open: return open(with.at<const char*>(0), with.at<int>(1), with.at<mode_t>(2));
    case SYS_openat:
      return openat(with.at<int>(0), with.at<const char*>(1), with.at<int>(2), with.at<mode_t>(3));
    case SYS_statx:
      return statx(with.at<int>(0), with.at<const char*>(1), with.at<int>(2), with.at<unsigned>(3),
                   with.at<struct statx*>(4));
    case SYS_close: return close(with.at<int>(0));
    case SYS_lseek: return lseek(with.at<int>(0), with.at<off_t>(1), with.at<int>(2));
    case SYS_dup: return dup(with.at<int>(0));
    case SYS_mmap:
      return reinterpret_cast<long>(mmap(with.at<void*>(0), with.at<std::size_t>(1),
                                         with.at<int>(2), with.at<int>(3), with.at<int>(4),
                                         with.at<off_t>(5)));
    case SYS_munmap: return munmap(with.at<void*>(0), with.at<std::size_t>(1));
    default: return std::nullopt;
  }
}

/// Calls that change nothing which a run could see, nor the process that it runs in.
bool is_harmless(long number) {
  switch (number) {
    case SYS_membarrier:
    case SYS_madvise:
    case SYS_mprotect:
    case SYS_mincore:
    case SYS_get_mempolicy:
    case SYS_mbind:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid: return true;
    default: return false;
  }
}

/// Calls that programs try, and do without where a system has them not.
bool is_optional(long number) {
  switch (number) {
    case SYS_perf_event_open:
    case SYS_io_uring_setup:
    case SYS_userfaultfd:
    case SYS_seccomp:
    case SYS_bpf:
    case SYS_rseq: return true;
    default: return false;
  }
}

}  // namespace

extern "C" {

extern const char orrery_interposed_system_calls;
const char orrery_interposed_system_calls = 0;

long syscall(long number, ...) noexcept {
  std::va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  const Arguments with(arguments);
  if (running().user != nullptr) {
    if (number == SYS_futex) {
      return futex(
          {with.at<std::uint32_t*>(0), with.at<int>(1), with.at<std::uint32_t>(2),
           with.at<const timespec*>(3), with.at<std::uint32_t*>(4), with.at<std::uint32_t>(5)},
          ORRERY_CALLER);
    }
    if (const auto result = identity(number, with)) return *result;
    if (const auto result = life(number, with)) return *result;
    if (const auto result = goods(number, with)) return *result;
    if (is_optional(number)) return call_answer(ENOSYS);
    if (!is_harmless(number)) orrery::host::refuse_system_call(number);
  }
  return original<&syscall>("syscall")(number, arguments[0], arguments[1], arguments[2],
                                       arguments[3], arguments[4], arguments[5]);
}
}
