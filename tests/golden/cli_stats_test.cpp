// `--stats`: what a user is told of NICs and links.
#include <algorithm>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// How wide a terminal must be: bytes that continue a letter of UTF-8 take no room.
std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto letters = std::count_if(line.begin(), line.end(), [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    });
    widest = std::max(widest, static_cast<std::size_t>(letters));
  }
  return widest;
}

TEST_CASE("--stats prints hosts, stations and links, the busiest first, within 100 columns") {
  const WorkingDirectory here;
  const std::string words = "run --stats --platform myrinet-pci64b wildcard_race:mended";
  const CommandResult result = here.orrery(words);
  INFO(result.err);
  CHECK(result.status == 0);
  CHECK(has(result.err, "network: 4 hosts and 8 links in use, virtual time 13."));
  CHECK(has(result.err, "\n  host-0 processor "));
  CHECK(has(result.err, "\n  host-0-down "));
  CHECK(result.err.find("host-0 processor") < result.err.find("host-1 processor"));
  CHECK(widest_line(result.err) <= 100);
  CHECK(here.orrery(words).err == result.err);
}

TEST_CASE("--stats shows the busiest of many, and says how many more there are") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("cc -o ring " ORRERY_SOURCE_DIR "/scenarios/mpi/ring/ring.c").status == 0);
  const CommandResult result =
      here.orrery("run --quiet --stats -n 14 --platform myrinet-pcixe ./ring");
  INFO(result.err);
  const std::string few = "run --quiet --stats -n 13 --platform constant ./ring";
  CHECK(has(here.orrery(few).err, "  and 1 more host (all of them: --json)\n"));
  CHECK(has(result.err, "  and 2 more hosts (all of them: --json)\n"));
  CHECK(has(result.err, "  and 30 more stations (all of them: --json)\n"));
  CHECK(widest_line(result.err) <= 100);
}

TEST_CASE("--stats --json gives the same under stats.network, of a replay too") {
  const WorkingDirectory here;
  const std::string run =
      "run --json --stats --record a.orr --platform ethernet-1g wildcard_race:mended";
  const json network = json::parse(here.orrery(run).out)["stats"]["network"];
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (const json& nic : network["nics"]) {
    sent += nic["sent"]["messages"].get<std::uint64_t>();
    received += nic["received"]["messages"].get<std::uint64_t>();
  }
  CHECK(sent == 3);
  CHECK(received == 3);
  CHECK(network["links"].size() == 4);  // three up, and one down
  const auto& down = network["links"][0];
  CHECK(down["name"] == "host-0-down");
  CHECK(down["longest_queue"] == 2);
  std::int64_t busy = 0;
  for (const json& bucket : down["over_time"]["busy_ps"]) busy += bucket.get<std::int64_t>();
  CHECK(busy == down["busy_ps"].get<std::int64_t>());

  const json again = json::parse(here.orrery("replay --json --stats a.orr").out);
  CHECK(again["stats"]["network"] == network);
  CHECK_FALSE(json::parse(here.orrery("replay --json a.orr").out)["stats"].contains("network"));
}

}  // namespace
