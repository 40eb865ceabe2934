#include "source_lines.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

namespace orrery::test {

int line_of(const std::string& source, const std::string& text) {
  const std::size_t place = source.find(text);
  CAPTURE(text);
  REQUIRE(place != std::string::npos);
  return 1 + static_cast<int>(std::count(
                 source.begin(), source.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

std::set<std::pair<int, int>> racing_lines(const nlohmann::json& report) {
  std::set<std::pair<int, int>> lines;
  for (const nlohmann::json& finding : report.at("findings")) {
    if (finding.at("kind") != "data_race" || finding.at("where").size() != 2) continue;
    lines.insert(std::minmax(finding["where"][0].at("line").get<int>(),
                             finding["where"][1].at("line").get<int>()));
  }
  return lines;
}

}  // namespace orrery::test
