// Random programs on this machine's cores, recorded, and done again in simulation.
#pragma once

#include <cstdint>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "fuzz/campaign.hpp"
#include "golden/command_runner.hpp"

namespace orrery::test {

/// Records `runs` runs of `./app SEED THREADS 150` (in a campaign, as many as that wants), and
/// checks that each does the same again under other seeds and windows.
inline void check_real_runs(const WorkingDirectory& here, std::uint64_t runs,
                            const std::string& flags) {
  const std::uint64_t end = first_seed() + program_count(runs);
  for (std::uint64_t seed = first_seed(); seed < end; ++seed) {
    const std::uint64_t threads = 2 + seed % 4;
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

}  // namespace orrery::test
