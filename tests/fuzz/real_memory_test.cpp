// Random programs of real threads that race for common memory, recorded with all that they do to
// it: each read gets the same again in simulation, under other seeds and windows.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "golden/command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

void build(const WorkingDirectory& here, const std::string& flags, const std::string& program) {
  const CommandResult built =
      here.orrery(fmt::format("c++ -std=c++20 -O2 -g -pthread {} {}/tests/programs/{}/main.cpp "
                              "-o app",
                              flags, ORRERY_SOURCE_DIR, program));
  INFO(built.err);
  REQUIRE(built.status == 0);
}

/// How many of these runs come to something else.
void check_runs(const WorkingDirectory& here, int first_seed, int runs, const std::string& flags) {
  for (int seed = first_seed; seed < first_seed + runs; ++seed) {
    const int threads = 2 + seed % 4;
    CAPTURE(seed, threads, flags);
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

TEST_CASE("What real threads did to common memory is done again, races included") {
  const WorkingDirectory here;
  build(here, "", "random_memory");
  for (const char* const method : {"leap", "stride"}) {
    check_runs(here, 0, 25, fmt::format("--method {}", method));
    check_runs(here, 25, 15, fmt::format("--method {} --inject-delays=200us --seed 3", method));
  }
}

TEST_CASE("What real threads did is done again: locks and atomics beside memory") {
  const WorkingDirectory here;
  build(here, "-DWITH_ATOMICS", "random_threads");
  for (const char* const method : {"leap", "stride"}) {
    check_runs(here, 100, 15, fmt::format("--method {}", method));
    check_runs(here, 115, 5, fmt::format("--method {} --inject-delays=200us --seed 3", method));
  }
}
