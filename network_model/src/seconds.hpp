// Seconds as SimGrid counts them, and durations as Orrery does.
#pragma once

#include <cmath>
#include <cstdint>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery::detail {

inline constexpr double picoseconds_per_second = 1e12;

/// The nearest whole picosecond.
inline VirtualDuration from_seconds(double seconds) {
  const double picoseconds = std::round(seconds * picoseconds_per_second);
  if (!(picoseconds < 9.2e18)) return VirtualDuration::max();
  return VirtualDuration::from_picoseconds(static_cast<std::int64_t>(picoseconds));
}

inline double to_seconds(VirtualDuration duration) {
  return static_cast<double>(duration.picoseconds()) / picoseconds_per_second;
}

}  // namespace orrery::detail
