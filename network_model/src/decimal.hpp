// Decimal numbers without floating point: what `1.5us` and `12.5MB/s` begin with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::detail {

/// `digits[.digits]` at the front of a text, and what follows it.
struct Decimal {
  std::string_view integer;   ///< digits before the point, without leading zeros
  std::string_view fraction;  ///< digits after the point, without trailing zeros
  std::string_view rest;      ///< the unit, or whatever was written there

  [[nodiscard]] bool is_zero() const { return integer.empty() && fraction.empty(); }
};

/// Nothing if `text` does not begin with a digit, or a point is not followed by one.
std::optional<Decimal> split_decimal(std::string_view text);

enum class ScaleFault { none, too_large, not_whole };
struct Scaled {
  std::int64_t value = 0;
  ScaleFault fault = ScaleFault::none;
};
/// `number` times `unit` (> 0), which must be a whole number below 2^63.
Scaled scale(const Decimal& number, std::int64_t unit);

}  // namespace orrery::detail
