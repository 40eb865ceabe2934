// Virtual time: 64-bit integer picoseconds since the start of a run.
//
// Picoseconds, because a NIC cycle at 133 MHz is 7,519 ps and a byte at 780 MB/s 1,282 ps:
// nanoseconds would round every station of a NIC model (docs/decisions/0002-picoseconds.md).
// Types of our own, because a plain `std::chrono::duration<std::int64_t, std::pico>` overflows on
// a year given in hours before anything can saturate.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <ratio>

namespace orrery {
namespace detail {
/// Wide enough for the product of two 64-bit counts.
__extension__ using Wide = __int128;
}  // namespace detail

/// A span of virtual time in whole picoseconds.  All arithmetic saturates at `max()` and `min()`:
/// adding to "for ever" stays "for ever".  Trivially copyable; safe to use from any thread.
///
///     VirtualDuration latency = std::chrono::microseconds(50);
///     auto twice = latency * 2;
///     std::int64_t ns = twice.nanoseconds();          // 100,000
class VirtualDuration {
 public:
  constexpr VirtualDuration() = default;

  /// From any `std::chrono` duration with an integer or floating representation; fractions of a
  /// picosecond are cut off, values out of range (and NaN as 0) saturate.
  template <typename Rep, typename Period>
  constexpr VirtualDuration(std::chrono::duration<Rep, Period> duration)  // NOLINT(*-explicit-*)
      : picoseconds_(scaled<Rep, std::ratio_divide<Period, std::pico>>(duration.count())) {}

  static constexpr VirtualDuration from_picoseconds(std::int64_t count) {
    VirtualDuration result;
    result.picoseconds_ = count;
    return result;
  }
  static constexpr VirtualDuration zero() { return {}; }
  static constexpr VirtualDuration max() {
    return from_picoseconds(std::numeric_limits<std::int64_t>::max());
  }
  static constexpr VirtualDuration min() {
    return from_picoseconds(std::numeric_limits<std::int64_t>::min());
  }

  [[nodiscard]] constexpr std::int64_t picoseconds() const { return picoseconds_; }
  /// Whole nanoseconds, rounded towards zero.
  [[nodiscard]] constexpr std::int64_t nanoseconds() const { return picoseconds_ / 1000; }
  /// As a `std::chrono` duration, rounded towards zero, saturating at the target's limits.
  template <typename Duration>
  [[nodiscard]] constexpr Duration to() const {
    using Ratio = std::ratio_divide<std::pico, typename Duration::period>;
    return Duration(scaled_to<typename Duration::rep, Ratio>(picoseconds_));
  }

  friend constexpr auto operator<=>(VirtualDuration, VirtualDuration) = default;
  friend constexpr VirtualDuration operator+(VirtualDuration a, VirtualDuration b) {
    return from_picoseconds(saturating_add(a.picoseconds_, b.picoseconds_));
  }
  friend constexpr VirtualDuration operator-(VirtualDuration a, VirtualDuration b) {
    return from_picoseconds(saturating_subtract(a.picoseconds_, b.picoseconds_));
  }
  friend constexpr VirtualDuration operator*(VirtualDuration a, std::int64_t factor) {
    return from_picoseconds(saturate(static_cast<detail::Wide>(a.picoseconds_) * factor));
  }
  constexpr VirtualDuration& operator+=(VirtualDuration other) { return *this = *this + other; }
  constexpr VirtualDuration& operator-=(VirtualDuration other) { return *this = *this - other; }

 private:
  static constexpr std::int64_t saturate(detail::Wide value) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    if (value > most) return most;
    if (value < least) return least;
    return static_cast<std::int64_t>(value);
  }
  static constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a > 0 ? max().picoseconds_ : min().picoseconds_;
  }
  static constexpr std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) return difference;
    return a >= 0 ? max().picoseconds_ : min().picoseconds_;
  }
  template <typename Rep, typename Ratio>
  static constexpr std::int64_t scaled(Rep count) {
    if constexpr (std::chrono::treat_as_floating_point_v<Rep>) {
      const auto value = static_cast<long double>(count) * Ratio::num / Ratio::den;
      if (__builtin_isnan(value)) return 0;
      if (value >= 9223372036854775807.0L) return max().picoseconds_;
      if (value <= -9223372036854775808.0L) return min().picoseconds_;
      return static_cast<std::int64_t>(value);
    } else {
      // |count| < 2^64 and num < 2^63: the product fits 128 bits.
      return saturate(static_cast<detail::Wide>(count) * Ratio::num / Ratio::den);
    }
  }
  template <typename Rep, typename Ratio>
  static constexpr Rep scaled_to(std::int64_t picoseconds) {
    if constexpr (std::chrono::treat_as_floating_point_v<Rep>) {
      return static_cast<Rep>(picoseconds) * Ratio::num / Ratio::den;
    } else {
      const auto value = static_cast<detail::Wide>(picoseconds) * Ratio::num / Ratio::den;
      constexpr detail::Wide most = std::numeric_limits<Rep>::max();
      constexpr detail::Wide least = std::numeric_limits<Rep>::min();
      return static_cast<Rep>(value > most ? most : value < least ? least : value);
    }
  }

  std::int64_t picoseconds_ = 0;
};

/// A date: picoseconds since the start of the run.  `never()` is later than every date.
class VirtualTime {
 public:
  constexpr VirtualTime() = default;
  static constexpr VirtualTime start() { return {}; }
  static constexpr VirtualTime never() { return VirtualTime(VirtualDuration::max()); }
  static constexpr VirtualTime from_picoseconds(std::int64_t count) {
    return VirtualTime(VirtualDuration::from_picoseconds(count));
  }

  [[nodiscard]] constexpr VirtualDuration since_start() const { return since_start_; }
  [[nodiscard]] constexpr std::int64_t picoseconds() const { return since_start_.picoseconds(); }
  [[nodiscard]] constexpr std::int64_t nanoseconds() const { return since_start_.nanoseconds(); }

  friend constexpr auto operator<=>(VirtualTime, VirtualTime) = default;
  friend constexpr VirtualTime operator+(VirtualTime date, VirtualDuration span) {
    return VirtualTime(date.since_start_ + span);
  }
  friend constexpr VirtualTime operator-(VirtualTime date, VirtualDuration span) {
    return VirtualTime(date.since_start_ - span);
  }
  friend constexpr VirtualDuration operator-(VirtualTime a, VirtualTime b) {
    return a.since_start_ - b.since_start_;
  }

 private:
  explicit constexpr VirtualTime(VirtualDuration since_start) : since_start_(since_start) {}
  VirtualDuration since_start_;
};

}  // namespace orrery
