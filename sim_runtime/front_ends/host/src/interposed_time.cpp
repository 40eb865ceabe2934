// The clock: in a rank it is the simulated one.
#include <algorithm>
#include <cerrno>
#include <ctime>

#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include "next_function.hpp"
#include "rank_context.hpp"

using orrery::host::guarded_runtime;
using orrery::host::next_function;
using orrery::host::running;

#define ORRERY_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace {

constexpr std::int64_t picoseconds_per_nanosecond = 1'000;
constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
constexpr std::int64_t nanoseconds_per_microsecond = 1'000;
constexpr std::int64_t sleep_seconds_max = 9'000'000;  // 104 days: all that the clock holds
// The calendar's date when a run begins: 2000-01-01, 00:00:00 UTC, in every run.
constexpr std::int64_t first_second = 946'684'800;
// A program that waits by asking for the time again and again is taken to have spent this much.
constexpr std::uint32_t repeats_before_sleep = 100;
constexpr std::int64_t spin_picoseconds = 1'000'000;

/// Nanoseconds since the start of the run.
std::int64_t now_ns(std::uintptr_t program_counter) {
  const OrreryRuntime& runtime = guarded_runtime();
  auto& user = *running().user;
  std::int64_t now = runtime.now();
  user.now_repeats = now == user.last_now ? user.now_repeats + 1 : 0;
  user.last_now = now;
  if (user.now_repeats > repeats_before_sleep) {
    // Virtual time does not pass while a program computes: a busy wait would never end.
    runtime.sleep(spin_picoseconds, program_counter);
    now = runtime.now();
  }
  return now / picoseconds_per_nanosecond;
}

bool is_of_the_calendar(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

timespec date_of(clockid_t clock, std::uintptr_t program_counter) {
  const std::int64_t now = now_ns(program_counter);
  return {now / nanoseconds_per_second + (is_of_the_calendar(clock) ? first_second : 0),
          now % nanoseconds_per_second};
}

void sleep_ns(std::int64_t seconds, std::int64_t nanoseconds, std::uintptr_t program_counter) {
  const std::int64_t whole = std::clamp<std::int64_t>(seconds, -1, sleep_seconds_max);
  const std::int64_t duration = whole * nanoseconds_per_second + nanoseconds;
  if (duration <= 0) return;
  guarded_runtime().sleep(duration * picoseconds_per_nanosecond, program_counter);
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
  if (running().user != nullptr) return now_ns(ORRERY_CALLER) / nanoseconds_per_microsecond;
  return next_function<clock_t (*)()>("clock")();
}

unsigned sleep(unsigned seconds) {
  if (running().user != nullptr) {
    sleep_ns(seconds, 0, ORRERY_CALLER);
    return 0;
  }
  return next_function<unsigned (*)(unsigned)>("sleep")(seconds);
}

int usleep(useconds_t microseconds) {
  if (running().user != nullptr) {
    sleep_ns(0, std::int64_t{microseconds} * nanoseconds_per_microsecond, ORRERY_CALLER);
    return 0;
  }
  return next_function<int (*)(useconds_t)>("usleep")(microseconds);
}

int nanosleep(const timespec* duration, timespec* rest) {
  if (running().user != nullptr) {
    sleep_ns(duration->tv_sec, duration->tv_nsec, ORRERY_CALLER);
    return 0;
  }
  return next_function<int (*)(const timespec*, timespec*)>("nanosleep")(duration, rest);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* when, timespec* rest) {
  if (running().user != nullptr) {
    timespec from{};
    if ((flags & TIMER_ABSTIME) != 0) from = date_of(clock, ORRERY_CALLER);
    sleep_ns(when->tv_sec - from.tv_sec, when->tv_nsec - from.tv_nsec, ORRERY_CALLER);
    return 0;
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
