// The clock: in a rank it is the simulated one.
#include <cerrno>
#include <ctime>

#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"

using orrery::ClockKind;
using orrery::host::CancellationPoint;
using orrery::host::date_of;
using orrery::host::guarded_runtime;
using orrery::host::nanoseconds_per_microsecond;
using orrery::host::nanoseconds_per_second;
using orrery::host::next_function;
using orrery::host::now_ns;
using orrery::host::running;
using orrery::host::sleep_ns;

namespace {

/// By a signal, with so much of the sleep still to come.
int interrupted(timespec* rest, std::int64_t left_ns) {
  if (rest != nullptr) *rest = {left_ns / nanoseconds_per_second, left_ns % nanoseconds_per_second};
  errno = EINTR;
  return -1;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_time;
const char orrery_interposed_time = 0;

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  if (running().user != nullptr) {
    *result = date_of(clock, ORRERY_CALLER);
    return 0;
  }
  static const auto next = next_function<int (*)(clockid_t, timespec*)>("clock_gettime");
  return next(clock, result);
}

int gettimeofday(timeval* result, void* zone) noexcept {
  if (running().user != nullptr) {
    const timespec date = date_of(CLOCK_REALTIME, ORRERY_CALLER);
    *result = {date.tv_sec, date.tv_nsec / nanoseconds_per_microsecond};
    return 0;
  }
  static const auto next = next_function<int (*)(timeval*, void*)>("gettimeofday");
  return next(result, zone);
}

int timespec_get(timespec* result, int base) noexcept {
  if (running().user != nullptr && base == TIME_UTC) {
    *result = date_of(CLOCK_REALTIME, ORRERY_CALLER);
    return base;
  }
  return next_function<int (*)(timespec*, int)>("timespec_get")(result, base);
}

time_t time(time_t* result) noexcept {
  if (running().user != nullptr) {
    const time_t now = date_of(CLOCK_REALTIME, ORRERY_CALLER).tv_sec;
    if (result != nullptr) *result = now;
    return now;
  }
  static const auto next = next_function<time_t (*)(time_t*)>("time");
  return next(result);
}

clock_t clock() noexcept {
  if (running().user != nullptr)
    return now_ns(ClockKind::processor, ORRERY_CALLER) / nanoseconds_per_microsecond;
  return next_function<clock_t (*)()>("clock")();
}

unsigned sleep(unsigned seconds) {
  if (running().user != nullptr) {
    const CancellationPoint point(ORRERY_CALLER);
    const std::int64_t rest = sleep_ns(seconds, 0, ORRERY_CALLER);
    return static_cast<unsigned>((rest + nanoseconds_per_second - 1) / nanoseconds_per_second);
  }
  return next_function<unsigned (*)(unsigned)>("sleep")(seconds);
}

int usleep(useconds_t microseconds) {
  if (running().user != nullptr) {
    const CancellationPoint point(ORRERY_CALLER);
    const std::int64_t whole = std::int64_t{microseconds} * nanoseconds_per_microsecond;
    return sleep_ns(0, whole, ORRERY_CALLER) == 0 ? 0 : interrupted(nullptr, 0);
  }
  return next_function<int (*)(useconds_t)>("usleep")(microseconds);
}

int nanosleep(const timespec* duration, timespec* rest) {
  if (running().user != nullptr) {
    const CancellationPoint point(ORRERY_CALLER);
    const std::int64_t left = sleep_ns(duration->tv_sec, duration->tv_nsec, ORRERY_CALLER);
    return left == 0 ? 0 : interrupted(rest, left);
  }
  return next_function<int (*)(const timespec*, timespec*)>("nanosleep")(duration, rest);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* when, timespec* rest) {
  if (running().user != nullptr) {
    const CancellationPoint point(ORRERY_CALLER);
    timespec from{};
    if ((flags & TIMER_ABSTIME) != 0) from = date_of(clock, ORRERY_CALLER);
    const std::int64_t left =
        sleep_ns(when->tv_sec - from.tv_sec, when->tv_nsec - from.tv_nsec, ORRERY_CALLER);
    if (left == 0) return 0;
    interrupted((flags & TIMER_ABSTIME) != 0 ? nullptr : rest, left);
    return EINTR;
  }
  return next_function<int (*)(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep")(
      clock, flags, when, rest);
}

int sched_yield() noexcept {
  if (running().user != nullptr) {
    guarded_runtime().yield(ORRERY_CALLER);
    return 0;
  }
  return next_function<int (*)()>("sched_yield")();
}
}
