// MyrinetNetwork: its figures beside published ones, and how fast it is.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/firmware_barrier.hpp>
#include <orrery/network_model/myrinet_calibration.hpp>
#include <orrery/network_model/myrinet_network.hpp>

#include "benchmark_row.hpp"
#include "measuring.hpp"

namespace orrery::bench {
namespace {

constexpr double worst_error = 0.10;
constexpr double good_error = 0.05;
constexpr std::uint32_t switch_hosts = 16;

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

BenchmarkRow barrier_row(std::uint32_t hosts) {
  const MyrinetParameters& card = myrinet_preset("myrinet-pcixd");
  const auto us = [](VirtualDuration duration) {
    return static_cast<double>(duration.picoseconds()) / 1e6;
  };
  return {fmt::format("myrinet: barrier of {} by the cards", hosts),
          "us",
          "by their hosts",
          ratio_at_most(0.5),
          1,
          [hosts, &card, us] {
            return Sample{us(firmware_barrier_time(card, hosts)),
                          us(host_barrier_time(card, hosts)), "virtual"};
          }};
}

/// 16 hosts; in each round some of them send a message of 4 KB each, as many times as said.
Sample messages_a_second(MyrinetNetwork& network, bool to_one, int each) {
  constexpr std::uint64_t enough = 200'000;
  std::vector<ArrivalDate> dates;
  std::uint64_t messages = 0;
  VirtualTime now;
  const double start = cpu_seconds();
  while (messages < enough) {
    for (int i = 0; i < each; ++i) {
      for (std::uint32_t host = to_one ? 1 : 0; host < switch_hosts; ++host) {
        const std::uint32_t to = to_one ? 0 : (host + 1) % switch_hosts;
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
          [to_one, each] {
            MyrinetNetwork network(switch_hosts);
            return messages_a_second(network, to_one, each);
          }};
}

/// The same cards on the links of a platform: a flow for each packet.
BenchmarkRow platform_rate_row() {
  constexpr int repetitions = 5;
  return {"myrinet: 4-KB messages, platform",
          "messages/s",
          {},
          figure_at_least(500'000),
          repetitions,
          [] {
            MyrinetNetwork network(
                switched_platform(switch_hosts, {std::chrono::nanoseconds(75), 250'000'000}),
                std::vector<MyrinetParameters>(switch_hosts));
            return messages_a_second(network, false, 1);
          }};
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
  rows.push_back(platform_rate_row());
  rows.push_back(barrier_row(16));
  rows.push_back(barrier_row(64));
  return rows;
}

}  // namespace orrery::bench
