#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/scenarios/scenarios.hpp>

namespace {

using orrery::scenarios::Scenario;

constexpr std::string_view bug_marker = "// BUG";

std::ifstream open_source(std::string_view path) {
  std::ifstream file(std::string(ORRERY_SOURCE_DIR) + "/" + std::string(path));
  INFO(path);
  REQUIRE(file.is_open());
  return file;
}

// The number of the one line that carries the marker.
std::uint32_t marked_line(std::string_view path) {
  std::ifstream file = open_source(path);
  std::uint32_t number = 0;
  std::uint32_t found = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find(bug_marker) == std::string::npos) continue;
    REQUIRE(found == 0);
    found = number;
  }
  return found;
}

std::size_t line_count(std::string_view path) {
  std::ifstream file = open_source(path);
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

}  // namespace

TEST_CASE("each scenario's expected line is the one marked in its source") {
  for (const Scenario& scenario : orrery::scenarios::scenario_table()) {
    CAPTURE(scenario.name);
    CHECK(scenario.expected.line == marked_line(scenario.expected.file));
  }
}

TEST_CASE("each scenario lies in a folder of its own name, short and with a README of five lines") {
  for (const Scenario& scenario : orrery::scenarios::scenario_table()) {
    CAPTURE(scenario.name);
    const std::string folder = "scenarios/" + std::string(scenario.name);
    CHECK(scenario.expected.file == folder + "/scenario.cpp");
    CHECK(line_count(folder + "/scenario.cpp") < 80);
    CHECK(line_count(folder + "/README.md") == 5);
    CHECK_FALSE(scenario.summary.empty());
  }
}

TEST_CASE("there are at least ten scenarios, all with different names") {
  std::set<std::string_view> names;
  for (const Scenario& scenario : orrery::scenarios::scenario_table()) names.insert(scenario.name);
  CHECK(names.size() >= 10);
  CHECK(names.size() == orrery::scenarios::scenario_table().size());
}

TEST_CASE("a scenario's name gives the program with the bug and name:mended gives its twin") {
  const auto buggy = orrery::scenarios::program("lost_update");
  CHECK(buggy.scenario->name == "lost_update");
  CHECK_FALSE(buggy.is_mended);
  CHECK(&buggy.program() == &buggy.scenario->program);

  const auto twin = orrery::scenarios::program("lost_update:mended");
  CHECK(twin.name == "lost_update:mended");
  CHECK(twin.scenario == buggy.scenario);
  CHECK(&twin.program() == &twin.scenario->mended);
}

TEST_CASE("every listed program name can be looked up") {
  const auto names = orrery::scenarios::program_names();
  CHECK(names.size() == 2 * orrery::scenarios::scenario_table().size());
  for (const std::string& name : names) {
    const auto found = orrery::scenarios::find_program(name);
    REQUIRE(found);
    CHECK(found->name == name);
  }
}

TEST_CASE("an unknown scenario name is refused and the nearest is suggested") {
  using Catch::Matchers::Contains;
  CHECK_FALSE(orrery::scenarios::find_program("lost_updat"));
  CHECK_FALSE(orrery::scenarios::find_program("lost_update:fixed"));
  CHECK_FALSE(orrery::scenarios::find_program(""));
  CHECK_FALSE(orrery::scenarios::find_program(":mended"));
  CHECK_THROWS_WITH(orrery::scenarios::program("lost_updat", "PROGRAM"),
                    Contains("PROGRAM") && Contains("'lost_updat'") && Contains("'lost_update'?"));
  CHECK_THROWS_WITH(orrery::scenarios::program("lost_update:mendet"),
                    Contains("'lost_update:mended'?"));
  CHECK_THROWS_AS(orrery::scenarios::program("nothing like any of them"), orrery::UsageError);
}

TEST_CASE("a finding is the expected one only if kind, file and line agree") {
  const Scenario& scenario = *orrery::scenarios::program("lost_update").scenario;
  const std::string file = "/somewhere/" + std::string(scenario.expected.file);
  orrery::Finding finding;
  finding.kind = scenario.expected.kind;
  finding.where = {{file, scenario.expected.line, "buggy", "root", "failed here", {}}};
  CHECK(is_expected(scenario, finding));

  auto elsewhere = finding;
  elsewhere.where[0].line += 1;
  CHECK_FALSE(is_expected(scenario, elsewhere));
  auto other_file = finding;
  other_file.where[0].file = "scenarios/wildcard_race/scenario.cpp";
  CHECK_FALSE(is_expected(scenario, other_file));
  auto other_kind = finding;
  other_kind.kind = orrery::FindingKind::crash;
  CHECK_FALSE(is_expected(scenario, other_kind));
}
