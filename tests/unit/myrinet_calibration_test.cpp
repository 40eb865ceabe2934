// The presets' figures beside published ones.
#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/network_model/myrinet_calibration.hpp>

using namespace orrery;

TEST_CASE("Each published figure is met within 10 %, two thirds of them within 5 %") {
  const auto rows = myrinet_calibration();
  REQUIRE(rows.size() == 13);
  std::size_t good = 0;
  for (const CalibrationRow& row : rows) {
    CAPTURE(std::string(row.preset), std::string(row.quantity), row.simulated, row.published);
    CHECK(std::abs(row.error()) <= 0.10);
    if (std::abs(row.error()) < 0.05) ++good;
  }
  CHECK(3 * good >= 2 * rows.size());
}

TEST_CASE("Latencies and rates, to which the parameters were fitted, are met within 5 %") {
  for (const CalibrationRow& row : myrinet_calibration()) {
    if (row.quantity == "half-bandwidth size") continue;
    CAPTURE(std::string(row.preset), std::string(row.quantity), row.simulated, row.published);
    CHECK(std::abs(row.error()) <= 0.05);
  }
}

TEST_CASE("Every preset has measurements beside it, in the same order") {
  REQUIRE(myrinet_measurements().size() == myrinet_presets().size());
  for (std::size_t i = 0; i < myrinet_presets().size(); ++i) {
    CHECK(myrinet_measurements()[i].preset == myrinet_presets()[i].name);
  }
}

TEST_CASE("A longer message never arrives earlier, of one fragment or more") {
  for (const MyrinetPreset& preset : myrinet_presets()) {
    CAPTURE(std::string(preset.name));
    VirtualDuration before;
    for (std::uint64_t size = 0; size < 20'000; size += size % 4'096 < 3 ? 1 : 4'093) {
      const VirtualDuration latency = myrinet_latency(preset.parameters, size);
      CAPTURE(size);
      CHECK(before <= latency);
      before = latency;
    }
  }
}

TEST_CASE("A longer message takes longer, and streams faster, within a fragment") {
  for (const MyrinetPreset& preset : myrinet_presets()) {
    CAPTURE(std::string(preset.name));
    for (std::uint64_t size = 1; size < 4'096; size *= 2) {
      const MyrinetParameters& parameters = preset.parameters;
      CHECK(myrinet_latency(parameters, size) < myrinet_latency(parameters, 2 * size));
      CHECK(myrinet_streaming_rate(parameters, size) <
            myrinet_streaming_rate(parameters, 2 * size));
    }
  }
}
