// Random programs on this machine's cores, recorded, and done again in simulation.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "fuzz/campaign.hpp"
#include "golden/command_runner.hpp"

namespace orrery::test {

/// Builds `app` of one of `tests/programs` by `orrery c++`.
inline void build_random(const WorkingDirectory& here, const std::string& flags,
                         const std::string& program) {
  build_by_orrery(here, "c++ -std=c++17 -O2 -g -pthread " + flags,
                  fmt::format("{}/tests/programs/{}/main.cpp", ORRERY_SOURCE_DIR, program));
}

/// As many random programs a method, natively.
inline constexpr std::uint64_t real_programs = 300;

/// Records `runs` runs of `./app SEED THREADS 150` (in a campaign, as many as that wants), and
/// checks that each does the same again under another seed and window.
inline void check_real_runs(const WorkingDirectory& here, std::uint64_t runs,
                            const std::string& flags) {
  constexpr std::array machines{"--seed 5 --window 100us", "--seed 6 --window inf", ""};
  const std::uint64_t end = first_seed() + program_count(runs);
  for (std::uint64_t seed = first_seed(); seed < end; ++seed) {
    const std::uint64_t threads = 2 + seed % 4;
    const char* const machine = machines[seed % machines.size()];
    CAPTURE(seed, threads, flags, machine);
    const CommandResult real = here.orrery(
        fmt::format("record --quiet {} -o run.orr ./app {} {} 150", flags, seed, threads));
    INFO(real.err);
    REQUIRE(real.status == 0);
    const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == real.out);
  }
}

/// The same, of which a third has delays injected.
inline void check_real_method(const WorkingDirectory& here, std::uint64_t runs,
                              const std::string& method) {
  const std::uint64_t delayed = runs / 3;
  check_real_runs(here, runs - delayed, "--method " + method);
  check_real_runs(here, delayed, "--method " + method + " --inject-delays=200us --seed 3");
}

}  // namespace orrery::test
