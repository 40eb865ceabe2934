#include "program_clock.hpp"

#include <algorithm>

#include "files/user_files.hpp"
#include "program_signals.hpp"
#include "rank_context.hpp"

namespace orrery::host {
namespace {

constexpr std::int64_t picoseconds_per_nanosecond = 1'000;
constexpr std::int64_t sleep_seconds_max = 9'000'000;  // 104 days: all that the clock holds
constexpr std::uint32_t repeats_before_sleep = 100;
constexpr std::int64_t spin_picoseconds = 1'000'000;

std::int64_t origin_of(ClockKind clock) {
  return user_files().outside().clock_origins(running().user->rank()).of(clock);
}

std::int64_t picoseconds(std::int64_t seconds, std::int64_t nanoseconds) {
  const std::int64_t whole = std::clamp<std::int64_t>(seconds, -1, sleep_seconds_max);
  return (whole * nanoseconds_per_second + nanoseconds) * picoseconds_per_nanosecond;
}

}  // namespace

std::int64_t now_ns(ClockKind clock, std::uintptr_t program_counter) {
  const OrreryRuntime& runtime = guarded_runtime();
  std::int64_t now = runtime.read_clock(static_cast<std::uint32_t>(clock));
  // What others read in between is in no log.
  ThreadContext& thread = *running().thread;
  thread.now_repeats = now == thread.last_now ? thread.now_repeats + 1 : 0;
  thread.last_now = now;
  if (thread.now_repeats > repeats_before_sleep) {
    // Virtual time does not pass while a program computes: a busy wait would never end.
    runtime.sleep(spin_picoseconds, program_counter);
    now = runtime.read_clock(static_cast<std::uint32_t>(clock));
  }
  return now / picoseconds_per_nanosecond;
}

timespec date_of(clockid_t clock, std::uintptr_t program_counter) {
  const ClockKind kind = clock_kind_of(clock);
  const std::int64_t date = origin_of(kind) + now_ns(kind, program_counter);
  return {date / nanoseconds_per_second, date % nanoseconds_per_second};
}

std::int64_t sleep_ns(std::int64_t seconds, std::int64_t nanoseconds,
                      std::uintptr_t program_counter) {
  const std::int64_t duration = picoseconds(seconds, nanoseconds);
  if (duration <= 0) return 0;
  const SignalPoint point;
  const std::int64_t begin = point.is_watched() ? guarded_runtime().now() : 0;
  guarded_runtime().sleep(duration, program_counter);
  if (!point.was_interrupted()) return 0;
  const std::int64_t slept = guarded_runtime().now() - begin;
  return std::max<std::int64_t>(duration - slept, 0) / picoseconds_per_nanosecond;
}

std::int64_t picoseconds_of(const timespec& span) {
  return picoseconds(span.tv_sec, span.tv_nsec);
}

std::int64_t deadline_of(clockid_t clock, const timespec& date) {
  const std::int64_t origin = origin_of(clock_kind_of(clock));
  const std::int64_t seconds = date.tv_sec - origin / nanoseconds_per_second;
  if (seconds > sleep_seconds_max) return ORRERY_NEVER;
  const std::int64_t rest = date.tv_nsec - origin % nanoseconds_per_second;
  return std::max<std::int64_t>(picoseconds(seconds, rest), 0);
}

std::int64_t deadline_after(const timespec* duration) {
  if (duration == nullptr || duration->tv_sec > sleep_seconds_max) return ORRERY_NEVER;
  return guarded_runtime().now() + picoseconds(duration->tv_sec, duration->tv_nsec);
}

}  // namespace orrery::host
