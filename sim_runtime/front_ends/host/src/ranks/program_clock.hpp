// The clocks that a simulated program sees.
#pragma once

#include <cstdint>
#include <ctime>

#include <orrery/sim_runtime/clock_kinds.hpp>

namespace orrery::host {

inline constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
inline constexpr std::int64_t nanoseconds_per_microsecond = 1'000;

/// What a clock shows to the program, in nanoseconds since the start of the run.  A program that
/// waits by asking again and again is taken to have spent some time with it.
std::int64_t now_ns(ClockKind clock, std::uintptr_t program_counter);
/// What a clock of the C library shows, from where the rank's clocks begin.
timespec date_of(clockid_t clock, std::uintptr_t program_counter);
/// Returns what was left of it, in nanoseconds, when a signal came; else 0.
std::int64_t sleep_ns(std::int64_t seconds, std::int64_t nanoseconds,
                      std::uintptr_t program_counter);

/// Has it less than a second of nanoseconds, as the functions of POSIX demand?
inline bool is_date(const timespec& date) {
  return date.tv_nsec >= 0 && date.tv_nsec < nanoseconds_per_second;
}
/// At most 104 days, which is all that the clock holds.
std::int64_t picoseconds_of(const timespec& span);
/// A date of such a clock, as a deadline of the runtime's.
std::int64_t deadline_of(clockid_t clock, const timespec& date);
/// The same of a duration from now on; null: never.
std::int64_t deadline_after(const timespec* duration);

}  // namespace orrery::host
