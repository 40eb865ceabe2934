// The MPI programs of scenarios/mpi, as a user meets them: built by `orrery cc`, then searched.
#include <array>
#include <cstddef>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

struct Pair {
  const char* name;
  const char* kind;
  int ranks;
};
constexpr std::array<Pair, 5> pairs{{{"wildcard_race", "assertion", 4},
                                     {"head_to_head_sends", "deadlock", 2},
                                     {"header_and_body", "assertion", 3},
                                     {"leader_election", "assertion", 2},
                                     {"hasty_takeover", "assertion", 3}}};
constexpr std::array strategies{"random", "pct", "pos", "round_robin", "exhaustive"};

std::string source_of(const std::string& scenario, const std::string& program) {
  return ORRERY_SOURCE_DIR "/scenarios/mpi/" + scenario + "/" + program + ".c";
}

void build(const WorkingDirectory& here, const std::string& scenario, const std::string& program) {
  const auto built = here.orrery("cc -g -o " + program + " '" + source_of(scenario, program) + "'");
  INFO(built.err);
  REQUIRE(built.status == 0);
}

// The number of the line that is marked as the bug; 0 if there is none.
std::size_t marked_line(const std::string& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find("/* BUG") != std::string::npos) return number;
  }
  return 0;
}

bool names_line(const json& finding, std::size_t line) {
  for (const json& place : finding["where"]) {
    if (place["line"] == line) return true;
  }
  return false;
}

TEST_CASE("Every strategy finds the bug of each MPI scenario, in the line that is marked") {
  for (const Pair& pair : pairs) {
    const WorkingDirectory here;
    build(here, pair.name, "buggy");
    const std::size_t line = marked_line(source_of(pair.name, "buggy"));
    REQUIRE(line > 0);
    for (const std::string strategy : strategies) {
      CAPTURE(pair.name, strategy);
      const CommandResult result =
          here.orrery("explore --json -n " + std::to_string(pair.ranks) + " --strategy " +
                      strategy + " --runs 10000 -o bug.orr ./buggy");
      INFO(result.err);
      CHECK(result.status == 1);
      const json found = json::parse(result.out)["findings"].at(0);
      CHECK(found["kind"] == pair.kind);
      CHECK(names_line(found, line));
      const json again = json::parse(here.orrery("replay --json bug.orr").out)["findings"].at(0);
      CHECK(again["kind"] == found["kind"]);
      CHECK(again["message"] == found["message"]);
    }
  }
}

TEST_CASE("The twin of each MPI scenario is clean under every strategy") {
  for (const Pair& pair : pairs) {
    const WorkingDirectory here;
    build(here, pair.name, "mended");
    for (const std::string strategy : strategies) {
      CAPTURE(pair.name, strategy);
      const std::string runs = strategy == "random" ? "20000" : "2000";
      const CommandResult result =
          here.orrery("explore -n " + std::to_string(pair.ranks) + " --strategy " + strategy +
                      " --runs " + runs + " ./mended");
      INFO(result.out << result.err);
      CHECK(result.status == 0);
    }
  }
}

TEST_CASE(
    "A bug of slow cards is found by dates alone on a slow card, and is not there on a fast one") {
  const WorkingDirectory here;
  build(here, "hasty_takeover", "buggy");
  build(here, "hasty_takeover", "mended");
  const std::string line = std::to_string(marked_line(source_of("hasty_takeover", "buggy")));
  const auto search = [&here](const std::string& program, const std::string& card) {
    return here.orrery("explore -n 3 --window 0 --runs 300 -o bug.orr --platform " + card + " ./" +
                       program);
  };
  const CommandResult slow = search("buggy", "myrinet-pci64b");
  INFO(slow.out << slow.err);
  CHECK(slow.status == 1);
  CHECK(slow.out.find("buggy.c:" + line) != std::string::npos);
  CHECK(here.orrery("replay bug.orr").status == 1);
  for (const std::string card : {"myrinet-pcixd", "myrinet-pcixe", "myrinet-pcixd-mx"}) {
    CAPTURE(card);
    CHECK(search("buggy", card).status == 0);
  }
  CHECK(search("mended", "myrinet-pci64b").status == 0);
  CHECK(search("mended", "myrinet-pcixe").status == 0);
}

TEST_CASE("MPI programs in the style of tutorials are clean in any order and without buffering") {
  for (const std::string name : {"jacobi", "master_worker", "ring"}) {
    const WorkingDirectory here;
    build(here, name, name);
    for (const std::string machine : {"-n 2", "-n 4", "-n 5 --eager-threshold 0"}) {
      CAPTURE(name, machine);
      const CommandResult run = here.orrery("run " + machine + " ./" + name);
      INFO(run.err);
      CHECK(run.status == 0);
      const auto search = here.orrery("explore --runs 200 " + machine + " ./" + name);
      INFO(search.out << search.err);
      CHECK(search.status == 0);
    }
  }
}

}  // namespace
