// The clocks that a program looks at: it sees the dates that are written down.
#include <ctime>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>

#include "answers.hpp"
#include "cancellation.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;
using orrery::clock_kind_of;
using orrery::ClockKind;

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t ns_per_us = 1'000;

int read_system(clockid_t clock, timespec* date) {
  return next<&::clock_gettime>("clock_gettime")(clock, date);
}

/// Instead of what it is, what the program sees.
void show(ClockKind clock, timespec& date) {
  const std::int64_t shown = readings().show(clock, date.tv_sec * ns_per_s + date.tv_nsec);
  date = {shown / ns_per_s, shown % ns_per_s};
}

timespec shown_date(clockid_t clock) {
  timespec date{};
  read_system(clock, &date);
  show(clock_kind_of(clock), date);
  return date;
}

clock_t ticks_of(const timespec& date) {
  constexpr std::int64_t ticks_per_s = 100;
  return date.tv_sec * ticks_per_s + date.tv_nsec / (ns_per_s / ticks_per_s);
}

}  // namespace

ORRERY_RECORDED int clock_gettime(clockid_t clock, timespec* result) noexcept {
  const int error = read_system(clock, result);
  if (error == 0 && is_read(__builtin_return_address(0))) show(clock_kind_of(clock), *result);
  return error;
}

ORRERY_RECORDED int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  const int error = next<&::pthread_getcpuclockid>("pthread_getcpuclockid")(thread, clock);
  return answered(__builtin_return_address(0), error, clock);
}

ORRERY_RECORDED int clock_getcpuclockid(pid_t process, clockid_t* clock) noexcept {
  const int error = next<&::clock_getcpuclockid>("clock_getcpuclockid")(process, clock);
  return answered(__builtin_return_address(0), error, clock);
}

ORRERY_RECORDED int gettimeofday(timeval* result, void* zone) noexcept {
  static constinit NextFunction<int (*)(timeval*, void*)> real_one;
  const int error = real_one.by_name("gettimeofday")(result, zone);
  if (error == 0 && is_read(__builtin_return_address(0))) {
    const timespec date = shown_date(CLOCK_REALTIME);
    *result = {date.tv_sec, date.tv_nsec / ns_per_us};
  }
  return error;
}

ORRERY_RECORDED int timespec_get(timespec* result, int base) noexcept {
  if (base == TIME_UTC && is_read(__builtin_return_address(0))) {
    *result = shown_date(CLOCK_REALTIME);
    return base;
  }
  return next<&::timespec_get>("timespec_get")(result, base);
}

ORRERY_RECORDED time_t time(time_t* result) noexcept {
  if (!is_read(__builtin_return_address(0))) return next<&::time>("time")(result);
  const time_t now = shown_date(CLOCK_REALTIME).tv_sec;
  if (result != nullptr) *result = now;
  return now;
}

ORRERY_RECORDED clock_t clock() noexcept {
  if (!is_read(__builtin_return_address(0))) return next<&::clock>("clock")();
  const timespec date = shown_date(CLOCK_PROCESS_CPUTIME_ID);
  return (date.tv_sec * ns_per_s + date.tv_nsec) / ns_per_us;
}

ORRERY_RECORDED int getrusage(__rusage_who_t who, rusage* used) noexcept {
  const int error = next<&::getrusage>("getrusage")(who, used);
  if (error != 0 || !is_read(__builtin_return_address(0))) return error;
  if (who != RUSAGE_CHILDREN) {
    timespec date{used->ru_utime.tv_sec, used->ru_utime.tv_usec * ns_per_us};
    show(ClockKind::processor, date);
    used->ru_utime = {date.tv_sec, date.tv_nsec / ns_per_us};
  }
  return answered(__builtin_return_address(0), error, used);
}

ORRERY_RECORDED clock_t times(tms* used) noexcept {
  const clock_t now = next<&::times>("times")(used);
  if (now == clock_t{-1} || !is_read(__builtin_return_address(0))) return now;
  // As a simulated program reads them, one after the other.
  const timespec processor = shown_date(CLOCK_PROCESS_CPUTIME_ID);
  if (used != nullptr) *used = {ticks_of(processor), 0, 0, 0};
  return ticks_of(shown_date(CLOCK_MONOTONIC));
}

// A simulated program that sleeps until a date reads the clock there.
ORRERY_RECORDED int clock_nanosleep(clockid_t clock, int flags, const timespec* when,
                                    timespec* rest) {
  if ((flags & TIMER_ABSTIME) != 0 && is_read(__builtin_return_address(0))) {
    static_cast<void>(shown_date(clock));
  }
  return cancellable(
      [=] { return next<&::clock_nanosleep>("clock_nanosleep")(clock, flags, when, rest); });
}
