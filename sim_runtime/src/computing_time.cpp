#include <fmt/format.h>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/computing_time.hpp>

namespace orrery {
namespace {

constexpr std::uint64_t one = 1'000'000;

/// A number with up to six places, in millionths: read as a duration in microseconds is.
std::uint64_t parse_scale(std::string_view text, std::string_view where) {
  constexpr std::int64_t most = 1'000'000 * static_cast<std::int64_t>(one);
  const bool is_number = text.find_first_not_of("0123456789.") == std::string_view::npos;
  std::int64_t millionths = 0;
  try {
    if (is_number) millionths = parse_duration(std::string(text) + "us", where).picoseconds();
  } catch (const UsageError&) {
    millionths = 0;
  }
  if (millionths < 1 || millionths > most) {
    throw UsageError("the scale '" + std::string(text) + "' is out of range", std::string(where),
                     "write a number from 0.000001 to 1000000, such as measured=0.5");
  }
  return static_cast<std::uint64_t>(millionths);
}

std::string scale_text(std::uint64_t millionths) {
  const std::string text = fmt::format("{}.{:06}", millionths / one, millionths % one);
  const std::size_t last = text.find_last_not_of('0');
  return text.substr(0, text[last] == '.' ? last : last + 1);
}

}  // namespace

std::string ComputingTime::text() const {
  switch (method) {
    case Method::none: break;
    case Method::cost: return "cost=" + duration_text(block_price);
    case Method::measured: return "measured=" + scale_text(scale_millionths);
  }
  return "none";
}

ComputingTime parse_computing_time(std::string_view text, std::string_view where) {
  ComputingTime result;
  const std::size_t equals = text.find('=');
  const std::string name(text.substr(0, equals));
  const bool has_value = equals != std::string_view::npos;
  const std::string_view value = has_value ? text.substr(equals + 1) : std::string_view();
  if (name == "none" && !has_value) return result;
  if (name == "cost") {
    result.method = ComputingTime::Method::cost;
    if (has_value) result.block_price = parse_duration(value, where);
    return result;
  }
  if (name == "measured") {
    result.method = ComputingTime::Method::measured;
    if (has_value) result.scale_millionths = parse_scale(value, where);
    return result;
  }
  throw UsageError("'" + std::string(text) + "' is no way to count computing time",
                   std::string(where), name_hint(name, {"none", "cost", "measured"}));
}

}  // namespace orrery
