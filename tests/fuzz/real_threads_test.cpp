// Random programs of real threads, recorded by `orrery record` on this machine's cores: each does
// the same again in simulation, under other seeds and windows.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "golden/command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* source = ORRERY_SOURCE_DIR "/tests/programs/random_threads/main.cpp";

/// How many of these runs come to something else.
void check_runs(const WorkingDirectory& here, int first_seed, int runs, const std::string& flags) {
  for (int seed = first_seed; seed < first_seed + runs; ++seed) {
    const int threads = 2 + seed % 4;
    CAPTURE(seed, threads);
    const CommandResult real = here.orrery(
        fmt::format("record --quiet {} -o run.orr ./app {} {} 150", flags, seed, threads));
    INFO(real.err);
    REQUIRE(real.status == 0);
    for (const char* const machine : {"", "--seed 5 --window 100us", "--window inf"}) {
      CAPTURE(machine);
      const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
      INFO(again.err);
      CHECK(again.status == 0);
      CHECK(again.out == real.out);
    }
  }
}

}  // namespace

TEST_CASE("What real threads did is done again: an unchanged program") {
  const WorkingDirectory here;
  const CommandResult built = here.shell(
      fmt::format("{} -std=c++20 -O2 -g -pthread {} -o app", ORRERY_CXX_COMPILER, source));
  INFO(built.err);
  REQUIRE(built.status == 0);
  check_runs(here, 0, 40, "");
  check_runs(here, 40, 10, "--inject-delays=200us --seed 3");
}

TEST_CASE("What real threads did is done again: a program by orrery cc, with its atomics") {
  const WorkingDirectory here;
  const CommandResult built =
      here.orrery(fmt::format("c++ -std=c++20 -O2 -g -DWITH_ATOMICS -pthread {} -o app", source));
  INFO(built.err);
  REQUIRE(built.status == 0);
  check_runs(here, 100, 40, "");
  check_runs(here, 140, 10, "--inject-delays=200us --seed 3");
}
