// `epoll` over what leads from threads of a program to threads of a program, and timers that are
// read from a descriptor.
#include <cerrno>
#include <cstdint>
#include <optional>

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "caller.hpp"
#include "files/epoll_files.hpp"
#include "files/timer_files.hpp"
#include "files/user_files.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_clock.hpp"

using orrery::host::change_epoll_list;
using orrery::host::fail;
using orrery::host::FilesCall;
using orrery::host::is_host;
using orrery::host::note_place_of_call;
using orrery::host::open_file;
using orrery::host::OpenFile;
using orrery::host::original;
using orrery::host::wait_for_epoll_list;

namespace {

constexpr std::int64_t picoseconds_per_millisecond = 1'000'000'000;

int add_file(const FilesCall& call, std::shared_ptr<OpenFile> file, bool closes_on_exec) {
  return file == nullptr ? -1 : call.own().add(std::move(file), closes_on_exec);
}

std::optional<std::int64_t> patience(int timeout_ms) {
  if (timeout_ms < 0) return {};
  return timeout_ms * picoseconds_per_millisecond;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_epoll;
const char orrery_interposed_epoll = 0;

int epoll_create1(int flags) noexcept {
  if (is_host()) return original<&epoll_create1>("epoll_create1")(flags);
  if ((flags & ~EPOLL_CLOEXEC) != 0) return fail(EINVAL);
  const FilesCall call;
  return add_file(call, orrery::host::make_epoll_list(), flags != 0);
}

int epoll_create(int size) noexcept {
  if (is_host()) return original<&epoll_create>("epoll_create")(size);
  return size <= 0 ? fail(EINVAL) : epoll_create1(0);
}

int epoll_ctl(int list, int operation, int file, epoll_event* event) noexcept {
  if (is_host()) return original<&epoll_ctl>("epoll_ctl")(list, operation, file, event);
  note_place_of_call(ORRERY_CALLER);
  return change_epoll_list(list, operation, file, event);
}

int epoll_wait(int list, epoll_event* events, int count_max, int timeout_ms) {
  if (is_host()) return original<&epoll_wait>("epoll_wait")(list, events, count_max, timeout_ms);
  note_place_of_call(ORRERY_CALLER);
  return wait_for_epoll_list(list, events, count_max, patience(timeout_ms));
}

int epoll_pwait(int list, epoll_event* events, int count_max, int timeout_ms,
                const sigset_t* mask) {
  if (is_host()) {
    return original<&epoll_pwait>("epoll_pwait")(list, events, count_max, timeout_ms, mask);
  }
  note_place_of_call(ORRERY_CALLER);
  return wait_for_epoll_list(list, events, count_max, patience(timeout_ms));
}

int epoll_pwait2(int list, epoll_event* events, int count_max, const timespec* timeout,
                 const sigset_t* mask) {
  if (is_host()) {
    return original<&epoll_pwait2>("epoll_pwait2")(list, events, count_max, timeout, mask);
  }
  note_place_of_call(ORRERY_CALLER);
  if (timeout == nullptr) return wait_for_epoll_list(list, events, count_max, {});
  if (timeout->tv_sec < 0 || !orrery::host::is_date(*timeout)) return fail(EINVAL);
  return wait_for_epoll_list(list, events, count_max, orrery::host::picoseconds_of(*timeout));
}

int timerfd_create(int clock, int flags) noexcept {
  if (is_host()) return original<&timerfd_create>("timerfd_create")(clock, flags);
  const FilesCall call;
  return add_file(call, orrery::host::make_timer(clock, flags), (flags & TFD_CLOEXEC) != 0);
}

int timerfd_settime(int number, int flags, const itimerspec* time, itimerspec* before) noexcept {
  if (is_host()) {
    return original<&timerfd_settime>("timerfd_settime")(number, flags, time, before);
  }
  note_place_of_call(ORRERY_CALLER);
  if (time == nullptr) return fail(EFAULT);
  const auto file = open_file(number);
  return file == nullptr ? -1 : orrery::host::set_timer(*file, flags, *time, before);
}

int timerfd_gettime(int number, itimerspec* time) noexcept {
  if (is_host()) return original<&timerfd_gettime>("timerfd_gettime")(number, time);
  note_place_of_call(ORRERY_CALLER);
  const auto file = open_file(number);
  return file == nullptr ? -1 : orrery::host::get_timer(*file, *time);
}
}
