// The mini-apps of scenarios/programs/mpi, as a user meets them: built, run, searched, replayed;
// and under Debian's Open MPI, where it is.
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr std::array programs{"halo", "cg", "cells", "sample_sort", "farm", "hash_table"};
constexpr std::array strategies{"random", "pct", "pos", "round_robin", "exhaustive"};

const std::string folder = ORRERY_SOURCE_DIR "/scenarios/programs/mpi";
const std::string ours = "CC='" ORRERY_BINARY " cc' CXX='" ORRERY_BINARY " c++'";
const std::string theirs = "CC=mpicc CXX=mpicxx";

void build(const WorkingDirectory& here, const std::string& compilers, const std::string& words) {
  const CommandResult built = here.shell(compilers + " '" + folder + "/build.sh' " + words);
  INFO(built.out << built.err);
  REQUIRE(built.status == 0);
}

/// What happened, line by line, without when.
std::vector<std::string> events_of(const CommandResult& result) {
  std::vector<std::string> events;
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t unit = line.find(" us  ");
    if (unit != std::string::npos) events.push_back(line.substr(unit));
  }
  return events;
}

}  // namespace

TEST_CASE("MPI mini-apps give the same answer under every strategy, and each run twice") {
  for (const std::string name : programs) {
    const WorkingDirectory here;
    build(here, ours, name + " app -Wall -Wextra -Werror");
    REQUIRE(here.shell("'" ORRERY_BINARY "' run -n 4 ./app >answer.txt").status == 0);
    CHECK_FALSE(here.read("answer.txt").empty());
    for (const std::string strategy : strategies) {
      CAPTURE(name, strategy);
      const std::string runs = strategy == "random" ? "200" : "40";
      const CommandResult search = here.orrery("explore -n 4 --expect-output answer.txt --runs " +
                                               runs + " --strategy " + strategy + " ./app");
      INFO(search.out << search.err);
      CHECK(search.status == 0);
    }
    const std::string twice = "explore -n 4 --check-determinism --runs 20 ";
    CHECK(here.orrery(twice + "./app").status == 0);
    CHECK(here.orrery(twice + "--eager-threshold 0 ./app").status == 0);
  }
}

TEST_CASE("A recorded run of an MPI mini-app is done again with other seed, window and network") {
  for (const std::string name : programs) {
    CAPTURE(name);
    const WorkingDirectory here;
    build(here, ours, name + " app");
    const CommandResult run =
        here.orrery("run -n 4 --seed 5 --window inf --platform ethernet-1g --record run.orr ./app");
    INFO(run.err);
    REQUIRE(run.status == 0);
    const CommandResult again = here.orrery("replay --timeline run.orr");
    INFO(again.err);
    REQUIRE(again.status == 0);
    CHECK(has(again.out, run.out));
    const CommandResult elsewhere =
        here.orrery("replay --timeline --seed 9 --window 0 --platform myrinet-pcixd run.orr");
    INFO(elsewhere.err);
    CHECK(elsewhere.status == 0);
    CHECK(events_of(again).size() > 20);
    CHECK(events_of(elsewhere) == events_of(again));
  }
}

TEST_CASE("MPI mini-apps give the answer that they give under Debian's Open MPI") {
  const WorkingDirectory anywhere;
  if (anywhere.shell("mpicc --version && mpirun --version").status != 0) {
    WARN("Open MPI (openmpi-bin, libopenmpi-dev) is not installed: nothing to compare with");
    return;
  }
  for (const std::string name : programs) {
    const WorkingDirectory here;
    build(here, ours, name + " ours");
    build(here, theirs, name + " theirs");
    for (const std::string ranks : {"1", "2", "5"}) {
      if (name == "farm" && ranks == "1") continue;  // a master alone has no workers
      CAPTURE(name, ranks);
      // Its one-sided component `rdma` crashes in MPI_Compare_and_swap within a host.
      const CommandResult real = here.shell(
          "mpirun --allow-run-as-root --oversubscribe --mca osc ^rdma -n " + ranks + " ./theirs");
      INFO(real.out << real.err);
      REQUIRE(real.status == 0);
      const CommandResult simulated = here.orrery("run -n " + ranks + " ./ours");
      INFO(simulated.err);
      CHECK(simulated.status == 0);
      CHECK(simulated.out == real.out);
    }
  }
}
