// What was measured on real Myrinet cards, and what the model says to the same questions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// Figures of a card, published by its makers or users.
struct MyrinetMeasurement {
  std::string_view preset;          ///< which of `myrinet_presets()` stands for it
  std::string_view card;            ///< with its software
  double latency_us = 0;            ///< small message, one way, through one switch
  double megabytes_per_second = 0;  ///< large messages, one way; a megabyte is 10^6 bytes
  double half_bandwidth_bytes = 0;  ///< that size streams at half of that rate; 0: not published
};

/// All that are known, one a preset, in the presets' order.  The one table of published figures.
[[nodiscard]] const std::array<MyrinetMeasurement, 5>& myrinet_measurements();

/// From the start to the arrival of a message between two hosts at one switch, on an idle network.
[[nodiscard]] VirtualDuration myrinet_latency(const MyrinetParameters& parameters,
                                              std::uint64_t size_bytes);
/// Bytes a second of messages of one size, each handed over as soon as the one before is: one-way
/// streaming, once it runs steadily.
[[nodiscard]] double myrinet_streaming_rate(const MyrinetParameters& parameters,
                                            std::uint64_t size_bytes);
/// The least size that streams at half of the rate of 1-MB messages.
[[nodiscard]] std::uint64_t myrinet_half_bandwidth_bytes(const MyrinetParameters& parameters);

/// A published figure with the model's own.
struct CalibrationRow {
  std::string_view preset;
  std::string_view quantity;  ///< `latency`, `bandwidth at 1 MB`, `half-bandwidth size`
  std::string_view unit;      ///< `us`, `MB/s`, `B`
  double published = 0;
  double simulated = 0;
  /// How far off the model is, in parts of the published figure; negative: too small.
  [[nodiscard]] double error() const { return simulated / published - 1; }
};

/// Every published figure beside the model's.  The parameters were fitted to latencies and
/// bandwidths alone: the half-bandwidth sizes are the check.
///
///     for (const CalibrationRow& row : myrinet_calibration())
///       fmt::print("{} {}: {:+.1f} %\n", row.preset, row.quantity, 100 * row.error());
[[nodiscard]] std::vector<CalibrationRow> myrinet_calibration();

}  // namespace orrery
