// Random programs of threads that race for common memory, or look at memory which others have
// freed, recorded in simulation by each method that follows accesses: each read gets the same
// again, and each block lies where it lay, under other seeds and windows.
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "fuzz/campaign.hpp"
#include "golden/command_runner.hpp"

// Where memory is AddressSanitizer's, no method knows where blocks lie.
#if !defined(__SANITIZE_ADDRESS__)
namespace {

using orrery::test::CommandResult;
using orrery::test::first_seed;
using orrery::test::program_count;
using orrery::test::WorkingDirectory;

void build(const WorkingDirectory& here, const std::string& program) {
  build_by_orrery(here, "c++ -std=c++17 -O1 -g -pthread",
                  fmt::format("{}/tests/programs/{}/main.cpp", ORRERY_SOURCE_DIR, program));
}

std::string steps_of(const CommandResult& run) {
  const std::size_t end = run.err.find(" steps");
  const std::size_t begin = run.err.rfind(' ', end - 1);
  return run.err.substr(begin, end - begin);
}

void check_simulated_runs(const WorkingDirectory& here, const std::string& method,
                          std::uint64_t runs) {
  const std::uint64_t end = first_seed() + program_count(runs);
  for (std::uint64_t seed = first_seed(); seed < end; ++seed) {
    const std::uint64_t threads = 2 + seed % 3;
    const char* const window = seed % 2 == 0 ? "20us" : "inf";
    CAPTURE(method, seed, threads, window);
    const CommandResult run = here.orrery(
        fmt::format("run --preempt all --window {} --seed {} --record run.orr --method {} "
                    "./app {} {} 100",
                    window, seed, method, seed, threads));
    INFO(run.err);
    REQUIRE(run.status == 0);
    for (const char* const machine : {"--seed 77 --window 100us", "--window 0"}) {
      CAPTURE(machine);
      const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
      INFO(again.err);
      CHECK(again.status == 0);
      CHECK(again.out == run.out);
      CHECK(steps_of(again) == steps_of(run));
    }
  }
}

}  // namespace

TEST_CASE("What simulated threads find in memory that others have freed is found again",
          "[campaign]") {
  const WorkingDirectory here;
  build(here, "freed_memory");
  for (const std::string method :
       {"leap", "stride", "stride:group=allocation", "stride:group=block:64", "global-writes",
        "instant-replay", "lamport-order", "lamport-order:objects=yes", "choices"}) {
    check_simulated_runs(here, method, 20);
  }
}

TEST_CASE("What simulated threads did to common memory is done again, races included",
          "[campaign]") {
  const WorkingDirectory here;
  build(here, "random_memory");
  for (const std::string method :
       {"leap", "stride", "stride:lag=7", "global-writes", "instant-replay", "lamport-order"}) {
    check_simulated_runs(here, method, 6);
  }
}
#endif
