#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "finding_text.hpp"
#include "network_report.hpp"

namespace orrery::cli {
namespace {

constexpr std::size_t rows_max = 12;  // of each table
constexpr std::size_t bar_columns = 32;
constexpr std::size_t name_columns = 22;

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units{"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

/// To three places in the unit that fits; tables want columns, not every picosecond.
std::string time_text(VirtualDuration time) {
  if (time == VirtualDuration::zero()) return "0";
  constexpr std::array<std::string_view, 4> units{"ns", "us", "ms", "s"};
  double value = static_cast<double>(time.picoseconds()) / 1000;
  std::size_t unit = 0;
  while (value >= 999.9995 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.3f} {}", value, units[unit]);
}

/// A block for each part of the run, the higher the busier; empty where nothing was done.
std::string bar(const UseOverTime& use, VirtualTime end) {
  constexpr std::array<std::string_view, 9> blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::int64_t whole = end.picoseconds() / static_cast<std::int64_t>(bar_columns);
  std::string text;
  for (const VirtualDuration part : use.parts(bar_columns, end)) {
    const double share = static_cast<double>(part.picoseconds()) /
                         static_cast<double>(std::max<std::int64_t>(whole, 1));
    const auto height = static_cast<std::size_t>(std::min(share * 8 + 0.5, 8.0));
    text += blocks[part > VirtualDuration::zero() ? std::max<std::size_t>(height, 1) : 0];
  }
  return text;
}

std::string percent(VirtualDuration busy, VirtualTime end) {
  if (end == VirtualTime::start()) return "0 %";
  return fmt::format("{:.0f} %", 100 * static_cast<double>(busy.picoseconds()) /
                                     static_cast<double>(end.picoseconds()));
}

std::string shortened(std::string name) {
  if (name.size() <= name_columns) return name;
  // The end tells names of one platform apart.
  return "..." + name.substr(name.size() - (name_columns - 3));
}

/// The rows of a table, with the busiest first.
template <typename Row, typename Key>
std::vector<const Row*> sorted(const std::vector<Row>& rows, Key key) {
  std::vector<const Row*> result;
  for (const Row& row : rows) result.push_back(&row);
  std::ranges::stable_sort(result,
                           [&key](const Row* a, const Row* b) { return key(*a) > key(*b); });
  return result;
}

std::string more_rows(std::size_t count, std::string_view one, std::string_view many) {
  if (count <= rows_max) return {};
  const std::size_t more = count - rows_max;
  return fmt::format("  and {} more {} (all of them: --json)\n", more, more == 1 ? one : many);
}

std::string hosts_table(const NetworkStatistics& statistics, const Paint& paint) {
  const bool has_local = std::ranges::any_of(
      statistics.nics, [](const NetworkNic& nic) { return nic.local.messages > 0; });
  std::string head = fmt::format("  {:<{}} {:>12} {:>10} {:>12} {:>10}", "host", name_columns,
                                 "messages out", "bytes", "messages in", "bytes");
  if (has_local) head += fmt::format(" {:>12} {:>10}", "to itself", "bytes");
  std::string text = paint.bold(head) + "\n";
  const auto rows = sorted(statistics.nics, [](const NetworkNic& nic) {
    return nic.sent.bytes + nic.received.bytes + nic.local.bytes;
  });
  const auto columns = [](const Traffic& traffic) {
    return fmt::format(" {:>12} {:>10}", traffic.messages, bytes_text(traffic.bytes));
  };
  for (std::size_t i = 0; i < std::min(rows.size(), rows_max); ++i) {
    const NetworkNic& nic = *rows[i];
    text += fmt::format("  {:<{}}", shortened(nic.host), name_columns) + columns(nic.sent) +
            columns(nic.received) + (has_local ? columns(nic.local) : "") + "\n";
  }
  return text + more_rows(rows.size(), "host", "hosts");
}

std::string use_columns(const StationUse& use, const UseOverTime& over_time, VirtualTime end) {
  return fmt::format("{:>6} |{}| {:>5} {:>11}", percent(use.busy, end), bar(over_time, end),
                     use.longest_queue, time_text(use.longest_wait));
}

std::string heading(std::string_view name, const Paint& paint, std::string_view more = {}) {
  return paint.bold(fmt::format("  {:<{}} {:>6}  {:<{}}  {:>5} {:>11}{}", name, name_columns, "use",
                                "over time", bar_columns, "queue", "longest wait", more)) +
         "\n";
}

struct NamedStation {
  std::string name;
  const NetworkStation* station = nullptr;
};

std::string stations_table(const NetworkStatistics& statistics, const Paint& paint) {
  std::vector<NamedStation> stations;
  for (const NetworkNic& nic : statistics.nics) {
    for (const NetworkStation& station : nic.stations) {
      stations.push_back({nic.host + " " + station.name, &station});
    }
  }
  if (stations.empty()) return {};
  std::string text = heading("NIC", paint);
  const auto rows = sorted(stations, [](const NamedStation& row) { return row.station->use.busy; });
  for (std::size_t i = 0; i < std::min(rows.size(), rows_max); ++i) {
    const NetworkStation& station = *rows[i]->station;
    text += fmt::format("  {:<{}} {}\n", shortened(rows[i]->name), name_columns,
                        use_columns(station.use, station.over_time, statistics.end));
  }
  return text + more_rows(rows.size(), "station", "stations");
}

std::string links_table(const NetworkStatistics& statistics, const Paint& paint) {
  if (statistics.links.empty()) return {};
  std::string text = heading("link", paint, fmt::format(" {:>10}", "bytes"));
  const auto rows = sorted(statistics.links, [](const NetworkLink& link) { return link.use.busy; });
  for (std::size_t i = 0; i < std::min(rows.size(), rows_max); ++i) {
    const NetworkLink& link = *rows[i];
    text += fmt::format("  {:<{}} {} {:>10}\n", shortened(link.name), name_columns,
                        use_columns(link.use, link.over_time, statistics.end),
                        bytes_text(link.traffic.bytes));
  }
  return text + more_rows(rows.size(), "link", "links");
}

/// What code on the cards, or at the ports to them, did, where there was any.
std::string hooks_table(const NetworkStatistics& statistics, const Paint& paint) {
  const auto rows =
      sorted(statistics.nics, [](const NetworkNic& nic) { return nic.hook.kept_bytes; });
  const auto is_used = [](const NetworkNic* nic) {
    return nic->hook.cycles + nic->hook.kept_bytes + nic->hook.dma_bytes > 0;
  };
  const auto used = static_cast<std::size_t>(std::ranges::count_if(rows, is_used));
  if (used == 0) return {};
  std::string text = paint.bold(fmt::format("  {:<{}} {:>12} {:>10} {:>12} {:>10} {:>12} {:>10}",
                                            "code on card or port", name_columns, "cycles", "kept",
                                            "flushes", "bytes", "host's time", "waited")) +
                     "\n";
  std::size_t shown = 0;
  for (const NetworkNic* const nic : rows) {
    if (!is_used(nic) || shown++ >= rows_max) continue;
    const FirmwareHookUse& hook = nic->hook;
    text += fmt::format("  {:<{}} {:>12} {:>10} {:>12} {:>10} {:>12} {:>10}\n",
                        shortened(nic->host), name_columns, hook.cycles,
                        bytes_text(hook.kept_bytes), hook.interrupts, bytes_text(hook.dma_bytes),
                        time_text(hook.interrupt_time), time_text(hook.waited_for_room));
  }
  return text + more_rows(used, "host", "hosts");
}

}  // namespace

std::string network_text(const NetworkStatistics& statistics, const Paint& paint) {
  if (statistics.nics.empty()) return "network: no message was sent\n";
  std::string text = "network: " + counted(statistics.nics.size(), "host", "hosts");
  if (!statistics.links.empty()) {
    text += " and " + counted(statistics.links.size(), "link", "links");
  }
  return text + " in use, virtual time " + time_text(statistics.end.since_start()) + "\n" +
         hosts_table(statistics, paint) + stations_table(statistics, paint) +
         hooks_table(statistics, paint) + links_table(statistics, paint);
}

}  // namespace orrery::cli
