// docs/myrinet.md: its tables say what the model says.
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <orrery/network_model/firmware_barrier.hpp>
#include <orrery/network_model/myrinet_calibration.hpp>
#include <orrery/network_model/networks.hpp>

using namespace orrery;

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(std::string(ORRERY_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool documents(const std::string& line) {
  static const std::string page = content_of("docs/myrinet.md");
  return page.find(line) != std::string::npos;
}

}  // namespace

TEST_CASE("The calibration table of the documentation is the simulated one") {
  for (const CalibrationRow& row : myrinet_calibration()) {
    const bool is_check = row.quantity == "half-bandwidth size";
    std::string error = fmt::format("{:+.1f} %", 100 * row.error());
    if (error == "-0.0 %" || error == "+0.0 %") error = "0.0 %";
    const std::string line = fmt::format("| {} | {} | {} | {:.4g} {} | {:.4g} {} | {} |",
                                         row.preset, row.quantity, is_check ? "check" : "fitted",
                                         row.published, row.unit, row.simulated, row.unit, error);
    CAPTURE(line);
    CHECK(documents(line));
  }
}

TEST_CASE("The barriers' table of the documentation is the simulated one") {
  for (std::uint32_t hosts = 2; hosts <= 128; hosts *= 2) {
    std::string line = fmt::format("| {} ", hosts);
    for (const char* const name : {"myrinet-pci64b", "myrinet-pcixd", "myrinet-pcixd-mx"}) {
      for (const auto time : {firmware_barrier_time, host_barrier_time}) {
        const VirtualDuration span = time(myrinet_preset(name), hosts);
        line += fmt::format("| {:.1f} ", static_cast<double>(span.picoseconds()) / 1e6);
      }
    }
    CAPTURE(line);
    CHECK(documents(line + "|"));
  }
}

TEST_CASE("Every parameter of a card is documented, and an option of the networks") {
  const std::string header =
      content_of("network_model/include/orrery/network_model/myrinet_parameters.hpp");
  const std::regex field("std::uint(?:64|32)_t ([a-z_]+) = ");
  const std::regex unit("_(?:ns|hz|bytes|bytes_per_second)$");
  int count = 0;
  for (std::sregex_iterator next(header.begin(), header.end(), field), end; next != end; ++next) {
    const std::string name = (*next)[1];
    CAPTURE(name);
    const std::string short_name = std::regex_replace(
        std::regex_replace(name, std::regex("_bytes_per_second$"), ""), unit, "");
    CHECK(documents("`" + short_name + "`"));
    // Refused for its value, not for its name.
    CHECK_THROWS_WITH(make_network("myrinet-pcixd:2:" + name + "=x", 2),
                      Catch::Contains("'x' is not a number"));
    ++count;
  }
  CHECK(count == 30);
}
