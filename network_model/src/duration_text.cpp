#include <array>
#include <cstdint>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "decimal.hpp"
#include "quoted.hpp"

namespace orrery {
namespace {

using detail::quoted;

struct Unit {
  const char* name;
  std::int64_t picoseconds;
};
constexpr std::array<Unit, 7> units{{{"ps", 1},
                                     {"ns", 1'000},
                                     {"us", 1'000'000},
                                     {"ms", 1'000'000'000},
                                     {"s", 1'000'000'000'000},
                                     {"min", 60'000'000'000'000},
                                     {"h", 3'600'000'000'000'000}}};

// `usec`, `seconds` and `hrs` begin as their units do; the rest may be slips of the finger.
std::string nearest_unit(std::string_view written) {
  std::vector<std::string> names;
  std::string beginning;
  for (const Unit& unit : units) {
    names.emplace_back(unit.name);
    if (written.substr(0, names.back().size()) == names.back()) beginning = names.back();
  }
  return beginning.empty() ? nearest_name(written, names) : beginning;
}

[[noreturn]] void refuse_unit(std::string_view text, const detail::Decimal& number,
                              std::string_view where) {
  const std::string digits(text.substr(0, text.size() - number.rest.size()));
  if (number.rest.empty()) {
    throw UsageError(
        "the duration " + quoted(text) + " has no unit", std::string(where),
        "write " + digits + "ns, " + digits + "us, " + digits + "ms or " + digits + "s");
  }
  const std::string nearest = nearest_unit(number.rest);
  throw UsageError("the duration " + quoted(text) + " has an unknown unit " + quoted(number.rest),
                   std::string(where),
                   nearest.empty() ? "the units are ps, ns, us, ms, s, min and h"
                                   : "did you mean '" + digits + nearest + "'?");
}

VirtualDuration in_unit(std::string_view text, const detail::Decimal& number, const Unit& unit,
                        std::string_view where) {
  const detail::Scaled scaled = detail::scale(number, unit.picoseconds);
  switch (scaled.fault) {
    case detail::ScaleFault::too_large:
      throw UsageError("the duration " + quoted(text) + " is longer than virtual time can hold",
                       std::string(where), "give at most 2562h, or infinity");
    case detail::ScaleFault::not_whole:
      throw UsageError("the duration " + quoted(text) + " is not a whole number of picoseconds",
                       std::string(where),
                       "virtual time counts picoseconds: leave out some digits");
    case detail::ScaleFault::none: break;
  }
  return VirtualDuration::from_picoseconds(scaled.value);
}

// The largest unit that is not longer than `count`; minutes and hours only for whole ones.
const Unit& natural_unit(std::uint64_t count) {
  const Unit* natural = &units.front();
  for (const Unit& unit : units) {
    const auto size = static_cast<std::uint64_t>(unit.picoseconds);
    const bool decimal = unit.picoseconds <= 1'000'000'000'000;
    if (count >= size && (decimal || count % size == 0)) natural = &unit;
  }
  return *natural;
}

std::string exact_text(std::uint64_t count, const Unit& unit) {
  const auto size = static_cast<std::uint64_t>(unit.picoseconds);
  std::string text = std::to_string(count / size);
  std::uint64_t left = count % size;
  if (left != 0) text += '.';
  // Ends after at most 12 digits: what is left is below a decimal unit.
  for (; left != 0; left %= size) {
    left *= 10;
    text += static_cast<char>('0' + left / size);
  }
  return text + unit.name;
}

}  // namespace

VirtualDuration parse_duration(std::string_view text, std::string_view where) {
  if (text == "infinity" || text == "inf") return VirtualDuration::max();
  const auto number = detail::split_decimal(text);
  if (!number) {
    const bool negative = text.size() > 1 && text.front() == '-';
    throw UsageError(negative ? "the duration " + quoted(text) + " is negative"
                              : quoted(text) + " is not a duration",
                     std::string(where), "write a number with a unit, as in 250ns, 1.5us or 20ms");
  }
  if (number->rest.empty() && number->is_zero()) return VirtualDuration::zero();
  for (const Unit& unit : units) {
    if (number->rest == unit.name) return in_unit(text, *number, unit, where);
  }
  refuse_unit(text, *number, where);
}

std::string duration_text(VirtualDuration duration) {
  if (duration == VirtualDuration::max()) return "infinity";
  if (duration == VirtualDuration::zero()) return "0";
  const std::int64_t signed_count = duration.picoseconds();
  // Negated as unsigned: the least value has no positive twin.
  const std::uint64_t count = signed_count < 0 ? 0 - static_cast<std::uint64_t>(signed_count)
                                               : static_cast<std::uint64_t>(signed_count);
  const std::string text = exact_text(count, natural_unit(count));
  return signed_count < 0 ? "-" + text : text;
}

}  // namespace orrery
