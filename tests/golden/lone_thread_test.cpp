// What a program does while it has one thread costs detectors of races nothing, and hides no race.
#include <set>
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "source_lines.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::racing_lines;
using orrery::test::WorkingDirectory;

/// Alone before its first thread, and between two that it joins; not after one that it detached.
const std::string program = R"(#include <chrono>
#include <thread>
int before, during, between, after;
int big[100000];
void fill() { for (int& one : big) ++one; }
int main() {
  before = 1;
  fill();
  std::thread a([] { ++before; during = 1; });  // A
  during = 2;  // B
  a.join();
  ++before;
  ++during;
  fill();
  std::thread b([] { between = before + during; });  // C
  between = 1;  // D
  b.join();
  ++between;
  fill();
  std::thread c([] { after = between; });  // E
  c.detach();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  after = 1;  // F
  return big[7] == 3 ? 0 : 1;
}
)";

int line_of(const std::string& mark) {
  return orrery::test::line_of(program, "// " + mark);
}

}  // namespace

TEST_CASE("While a program has one thread nothing is watched, and no race is missed for that") {
  const WorkingDirectory here;
  here.write("app.cpp", program);
  const CommandResult built =
      here.shell("'" ORRERY_BINARY "' c++ -std=c++20 -O1 -g -pthread app.cpp -o app");
  INFO(built.err);
  REQUIRE(built.status == 0);
  const std::set<std::pair<int, int>> races{
      {line_of("A"), line_of("B")}, {line_of("C"), line_of("D")}, {line_of("E"), line_of("F")}};
  // The last one looks at all accesses: what it finds does not depend on who else watches.
  for (const std::string detector : {"fasttrack", "recplay", "hybrid"}) {
    CAPTURE(detector);
    const CommandResult run = here.orrery("run --json --stats --detect " + detector + " ./app");
    REQUIRE(run.status == 1);
    const json report = json::parse(run.out);
    CHECK(racing_lines(report) == races);
    if (detector != "recplay") continue;
    // Of the array, which is 400,000 bytes, nothing is held.
    CHECK(report.at("stats").at("detection").at("segments_bytes_max") < 20'000);
  }
}
