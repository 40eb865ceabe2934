// MyrinetNetwork: its figures beside published ones, and how fast it is.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <orrery/network_model/myrinet_calibration.hpp>
#include <orrery/network_model/myrinet_network.hpp>

#include "benchmark_row.hpp"
#include "measuring.hpp"

namespace orrery::bench {
namespace {

constexpr double worst_error = 0.10;
constexpr double good_error = 0.05;

BenchmarkRow calibration_row(const CalibrationRow& row) {
  const std::string note = fmt::format("error {:+.1f} %", 100 * row.error());
  return {fmt::format("{}: {}", row.preset, row.quantity),
          std::string(row.unit),
          "published",
          error_at_most(worst_error),
          1,  // virtual figures are the same each time
          [row, note] {
            return Sample{row.simulated, row.published, note};
          }};
}

BenchmarkRow good_share_row(const std::vector<CalibrationRow>& rows) {
  const auto good = std::ranges::count_if(
      rows, [](const CalibrationRow& row) { return std::abs(row.error()) < good_error; });
  const double share = 100 * static_cast<double>(good) / static_cast<double>(rows.size());
  const std::string note = fmt::format("{} of {} published figures", good, rows.size());
  return {"myrinet: figures within 5 %", "%", {},
          figure_at_least(200.0 / 3),    1,   [share, note] {
            return Sample{share, 0, note}; }};
}

/// 16 hosts; in each round some of them send a message of 4 KB each, as many times as said.
Sample messages_a_second(bool to_one, int each) {
  constexpr std::uint32_t hosts = 16;
  constexpr std::uint64_t enough = 200'000;
  MyrinetNetwork network(hosts);
  std::vector<ArrivalDate> dates;
  std::uint64_t messages = 0;
  VirtualTime now;
  const double start = cpu_seconds();
  while (messages < enough) {
    for (int i = 0; i < each; ++i) {
      for (std::uint32_t host = to_one ? 1 : 0; host < hosts; ++host) {
        const std::uint32_t to = to_one ? 0 : (host + 1) % hosts;
        network.start({TransferId{++messages}, host, to, 4'096}, now, dates);
      }
    }
    for (; network.next_event() != VirtualTime::never(); dates.clear()) {
      now = network.next_event();
      network.advance(now, dates);
    }
  }
  return {static_cast<double>(messages) / (cpu_seconds() - start), 0, {}};
}

BenchmarkRow rate_row(const std::string& name, bool to_one, int each) {
  constexpr int repetitions = 5;
  return {"myrinet: 4-KB messages, " + name,
          "messages/s",
          {},
          figure_at_least(500'000),
          repetitions,
          [to_one, each] { return messages_a_second(to_one, each); }};
}

}  // namespace

std::vector<BenchmarkRow> myrinet_rows() {
  const std::vector<CalibrationRow> calibration = myrinet_calibration();
  std::vector<BenchmarkRow> rows;
  for (const CalibrationRow& row : calibration) rows.push_back(calibration_row(row));
  rows.push_back(good_share_row(calibration));
  rows.push_back(rate_row("one a host", false, 1));
  rows.push_back(rate_row("16 a host", false, 16));
  rows.push_back(rate_row("15 to 1", true, 1));
  rows.push_back(rate_row("15 x 16 to 1", true, 16));
  return rows;
}

}  // namespace orrery::bench
