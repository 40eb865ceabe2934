// The clocks that programs look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace orrery {

/// Clocks of which a run on a real machine keeps what they said; `ValueQuestion::question` names
/// the one that a question of the kind `clock` is about.  The numbers are part of the log format.
enum class ClockKind : std::uint8_t {
  inner = 0,  ///< none of the program's: where a front end needs the date
  wtime,      ///< MPI_Wtime
  calendar,
  atomic_time,  ///< the calendar's without leap seconds
  monotonic,
  boot,
  processor,  ///< of the process or a thread
};
inline constexpr std::size_t clock_kinds = 7;

/// The kind of one of the C library's clocks.
[[nodiscard]] constexpr ClockKind clock_kind_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM: return ClockKind::calendar;
    case CLOCK_TAI: return ClockKind::atomic_time;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW: return ClockKind::monotonic;
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM: return ClockKind::boot;
    default: return ClockKind::processor;
  }
}

/// What a rank's clocks showed when it began: dates are counted from there.
struct ClockOrigins {
  std::int64_t calendar_ns = 0;
  std::int64_t atomic_time_ns = 0;
  std::int64_t monotonic_ns = 0;
  std::int64_t boot_ns = 0;

  [[nodiscard]] constexpr std::int64_t of(ClockKind clock) const {
    switch (clock) {
      case ClockKind::calendar: return calendar_ns;
      case ClockKind::atomic_time: return atomic_time_ns;
      case ClockKind::monotonic: return monotonic_ns;
      case ClockKind::boot: return boot_ns;
      default: return 0;
    }
  }
  friend bool operator==(const ClockOrigins&, const ClockOrigins&) = default;
};

/// Those of simulated runs: the calendar begins at 2000-01-01, 00:00:00 UTC, the others at 0.
inline constexpr std::int64_t simulated_calendar_ns = 946'684'800'000'000'000;
inline constexpr ClockOrigins simulated_clock_origins{simulated_calendar_ns, simulated_calendar_ns,
                                                      0, 0};

}  // namespace orrery
