#include "decimal.hpp"

#include <limits>

namespace orrery::detail {
namespace {

__extension__ using Wide = __int128;

std::size_t digit_count(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  return count;
}

}  // namespace

std::optional<Decimal> split_decimal(std::string_view text) {
  Decimal number;
  number.integer = text.substr(0, digit_count(text));
  if (number.integer.empty()) return std::nullopt;
  number.rest = text.substr(number.integer.size());
  if (!number.rest.empty() && number.rest.front() == '.') {
    number.rest.remove_prefix(1);
    number.fraction = number.rest.substr(0, digit_count(number.rest));
    if (number.fraction.empty()) return std::nullopt;
    number.rest.remove_prefix(number.fraction.size());
  }
  while (!number.integer.empty() && number.integer.front() == '0') number.integer.remove_prefix(1);
  while (!number.fraction.empty() && number.fraction.back() == '0') {
    number.fraction.remove_suffix(1);
  }
  return number;
}

Scaled scale(const Decimal& number, std::int64_t unit) {
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  Wide value = 0;
  for (const char digit : number.integer) {
    value = value * 10 + (digit - '0');
    if (value > most) return {0, ScaleFault::too_large};
  }
  value *= unit;
  if (value > most) return {0, ScaleFault::too_large};
  Wide numerator = 0;
  Wide denominator = 1;
  for (const char digit : number.fraction) {
    numerator = numerator * 10 + (digit - '0');
    denominator *= 10;
    // The last digit is not 0 and no unit here is a multiple of 2^19 or 5^19: never whole.
    if (denominator > most) return {0, ScaleFault::not_whole};
  }
  numerator *= unit;
  if (numerator % denominator != 0) return {0, ScaleFault::not_whole};
  value += numerator / denominator;
  if (value > most) return {0, ScaleFault::too_large};
  return {static_cast<std::int64_t>(value), ScaleFault::none};
}

}  // namespace orrery::detail
