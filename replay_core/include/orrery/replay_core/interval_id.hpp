// The name of an interval.
#pragma once

#include <compare>
#include <cstdint>

namespace orrery {

/// I(rank, number); both from 0.
struct IntervalId {
  std::int32_t rank = 0;
  std::uint64_t number = 0;
  friend constexpr auto operator<=>(const IntervalId&, const IntervalId&) = default;
};

}  // namespace orrery
