#include <cstdlib>

#include <fmt/format.h>

#include "finding_text.hpp"
#include "probe_effect.hpp"

namespace orrery::cli {
namespace {

constexpr std::size_t recorder_columns = 24;

/// Signed, to three places in the unit that fits.
std::string time_text(std::int64_t picoseconds, bool has_sign) {
  if (picoseconds == 0) return "0";
  constexpr const char* units[] = {"ns", "us", "ms", "s"};
  double value = static_cast<double>(picoseconds) / 1000;
  std::size_t unit = 0;
  while (std::abs(value) >= 999.9995 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  return has_sign ? fmt::format("{:+.3f} {}", value, units[unit])
                  : fmt::format("{:.3f} {}", value, units[unit]);
}

std::string row(const Json& one) {
  const auto number = [&one](const char* key) { return one.at(key).get<std::int64_t>(); };
  const auto part = [&](const char* some, const char* all) {
    return fmt::format("{} of {}", number(some), number(all));
  };
  return fmt::format("  {:<{}} {:>13} {:>12} {:>11} {:>11} {:>15} {:>15}\n",
                     one.at("recorder").get<std::string>(), recorder_columns,
                     time_text(number("virtual_time_added_ps"), true),
                     time_text(number("host_cpu_added_ps"), true), number("nic_cycles_added"),
                     number("port_cycles_added"), part("messages_reordered", "messages"),
                     part("receives_changed", "receives"));
}

std::string first_moved(const Json& one) {
  std::string text = fmt::format("  {}: ", one.at("recorder").get<std::string>());
  if (!one.contains("first_moved")) return text + "none\n";
  const Json& moved = one.at("first_moved");
  text += fmt::format("{} of {}", moved.at("kind").get<std::string>(),
                      moved.at("task").get<std::string>());
  if (moved.contains("where")) {
    const Json& where = moved.at("where");
    text += fmt::format(" at {}:{}", where.at("file").get<std::string>(),
                        where.at("line").get<std::uint64_t>());
  }
  const auto date = moved.at("date_ps").get<std::int64_t>();
  if (!moved.contains("was_ps")) {
    return text + fmt::format(" at {}, which is not there without\n", time_text(date, false));
  }
  const auto was = moved.at("was_ps").get<std::int64_t>();
  return text + fmt::format(" at {}, {}\n", time_text(date, false), time_text(date - was, true));
}

}  // namespace

std::string probe_effect_text(const Json& probe_effect) {
  std::string text = fmt::format(
      "probe effect, each beside the run without a recorder:\n  {:<{}} {:>13} {:>12} "
      "{:>11} {:>11} {:>15} {:>15}\n",
      "recorder", recorder_columns, "virtual time", "host CPU", "NIC cycles", "port cycles",
      "came otherwise", "got another");
  std::string moved = "first event that moved:\n";
  std::string remarks;
  for (const Json& one : probe_effect) {
    const auto name = one.at("recorder").get<std::string>();
    if (!one.contains("messages")) {
      remarks += fmt::format("  {}: the run died\n", name);
      continue;
    }
    text += row(one);
    moved += first_moved(one);
    if (one.contains("refused")) {
      remarks += fmt::format("  {}: its log could not be replayed: {}\n", name,
                             one.at("refused").get<std::string>());
    }
  }
  return text + moved + remarks;
}

}  // namespace orrery::cli
