#include <orrery/network_model/myrinet_calibration.hpp>
#include <orrery/network_model/myrinet_network.hpp>

namespace orrery {
namespace {

constexpr std::uint64_t small_bytes = 8;
constexpr std::uint64_t large_bytes = 1'000'000;

/// The dates at which so many messages have arrived, all handed over at the start.
std::vector<VirtualTime> stream(const MyrinetParameters& parameters, std::uint64_t size_bytes,
                                std::size_t count) {
  MyrinetNetwork network(2, parameters);
  std::vector<ArrivalDate> dates;
  for (std::size_t i = 0; i < count; ++i) {
    network.start({TransferId{i}, 0, 1, size_bytes}, VirtualTime::start(), dates);
  }
  while (network.next_event() != VirtualTime::never()) {
    network.advance(network.next_event(), dates);
  }
  std::vector<VirtualTime> came(count);
  for (const ArrivalDate& said : dates) {
    came[static_cast<std::size_t>(said.transfer)] = said.date;
  }
  return came;
}

}  // namespace

const std::array<MyrinetMeasurement, 5>& myrinet_measurements() {
  // As published when GM and MX were current; of the card with two ports, with GM 2.1.9.
  static constexpr std::array<MyrinetMeasurement, 5> all{{
      {"myrinet-pci64b", "PCI64B, GM", 8.5, 240, 1'300},
      {"myrinet-pci64c", "PCI64C, GM", 6.7, 246, 900},
      {"myrinet-pcixd", "PCIXD, GM", 6.3, 247, 0},
      {"myrinet-pcixe", "PCIXE on two ports, GM", 5.05, 495, 1'486},
      {"myrinet-pcixd-mx", "PCIXD, MX", 3.2, 247, 0},
  }};
  return all;
}

VirtualDuration myrinet_latency(const MyrinetParameters& parameters, std::uint64_t size_bytes) {
  return stream(parameters, size_bytes, 1).front().since_start();
}

double myrinet_streaming_rate(const MyrinetParameters& parameters, std::uint64_t size_bytes) {
  // The first half fills the stations; of long messages a few do.
  const std::size_t counted = size_bytes < large_bytes / 4 ? 50 : 10;
  const auto came = stream(parameters, size_bytes, 2 * counted);
  const VirtualDuration span = came.back() - came[counted - 1];
  const double seconds = static_cast<double>(span.picoseconds()) * 1e-12;
  return static_cast<double>(size_bytes) * static_cast<double>(counted) / seconds;
}

std::uint64_t myrinet_half_bandwidth_bytes(const MyrinetParameters& parameters) {
  const double half = myrinet_streaming_rate(parameters, large_bytes) / 2;
  std::uint64_t too_small = 0;
  std::uint64_t enough = large_bytes;
  while (enough - too_small > 1) {
    const std::uint64_t size = (too_small + enough) / 2;
    (myrinet_streaming_rate(parameters, size) < half ? too_small : enough) = size;
  }
  return enough;
}

std::vector<CalibrationRow> myrinet_calibration() {
  std::vector<CalibrationRow> rows;
  for (const MyrinetMeasurement& card : myrinet_measurements()) {
    const MyrinetParameters& parameters = myrinet_preset(card.preset);
    const VirtualDuration latency = myrinet_latency(parameters, small_bytes);
    rows.push_back({card.preset, "latency", "us", card.latency_us,
                    static_cast<double>(latency.picoseconds()) / 1e6});
    rows.push_back({card.preset, "bandwidth at 1 MB", "MB/s", card.megabytes_per_second,
                    myrinet_streaming_rate(parameters, large_bytes) / 1e6});
    if (card.half_bandwidth_bytes == 0) continue;
    rows.push_back({card.preset, "half-bandwidth size", "B", card.half_bandwidth_bytes,
                    static_cast<double>(myrinet_half_bandwidth_bytes(parameters))});
  }
  return rows;
}

}  // namespace orrery
