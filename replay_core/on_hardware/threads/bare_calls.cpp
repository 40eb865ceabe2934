#include "bare_calls.hpp"

#include <ctime>

#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "answers.hpp"

namespace orrery::on_hardware {
namespace {

template <typename T>
T* pointer_in(long argument) {
  return reinterpret_cast<T*>(argument);  // NOLINT: what a register has
}

void show_date(const void* caller, clockid_t clock, timespec& date) {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  if (!is_read(caller)) return;
  const std::int64_t shown =
      readings().show(clock_kind_of(clock), date.tv_sec * ns_per_s + date.tv_nsec);
  date = {shown / ns_per_s, shown % ns_per_s};
}

}  // namespace

long keep_bare_call(const void* caller, long number, const std::array<long, 6>& arguments,
                    long result) {
  switch (number) {
    case SYS_getpid:
    case SYS_gettid: note_asked(caller, rank_spool::Use::process_number); return result;
    case SYS_getppid:
    case SYS_getpgrp: return answered(caller, result);
    case SYS_uname: return answered(caller, result, pointer_in<utsname>(arguments[0]));
    case SYS_getcpu:
      return answered(caller, result,
                      {{pointer_in<void>(arguments[0]), sizeof(unsigned)},
                       {pointer_in<void>(arguments[1]), sizeof(unsigned)}});
    case SYS_statx: return answered(caller, result, pointer_in<struct statx>(arguments[4]));
    case SYS_sched_getaffinity: {
      const std::size_t bytes = result < 0 ? 0 : static_cast<std::size_t>(result);
      return answered(caller, result, {{pointer_in<void>(arguments[2]), bytes}});
    }
    case SYS_clock_gettime:
      if (result == 0) {
        show_date(caller, static_cast<clockid_t>(arguments[0]),
                  *pointer_in<timespec>(arguments[1]));
      }
      return result;
    case SYS_getrandom:
      if (result > 0 && is_read(caller)) {
        readings().drew(pointer_in<void>(arguments[0]), static_cast<std::size_t>(result));
      }
      return result;
    default: return result;
  }
}

}  // namespace orrery::on_hardware
