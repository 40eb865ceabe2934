// Programs that are recorded with what they do to memory, and their replays.
#pragma once

#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"

namespace orrery::test {

/// For programs that wait in a loop: one that waits for a time slice must not look a million times,
/// since a replay does each of them.  `looks`: so far.  What has been looked at is over, and others
/// may have it, when something else is written.
inline const std::string lets_time_pass =
    "static thread_local volatile int own_looks;\n"
    "static void let_time_pass(int looks) {\n  own_looks = looks;\n"
    "  for (int i = looks < 50 ? 20000 : 0; i < 20000; ++i) __asm__ volatile(\"\");\n}\n";

/// Builds `app` by `orrery c++`.
inline void build_hooked(const WorkingDirectory& here, const std::string& source,
                         const std::string& flags = "-O2") {
  build_app(here, source, "-std=c++17 -g -pthread " + flags, "cpp");
}

/// A run of `app` in simulation, of which `run.orr` keeps what it does to memory.
inline CommandResult run_recorded(const WorkingDirectory& here, const std::string& method, int seed,
                                  const std::string& arguments = "") {
  CommandResult run = here.orrery(
      fmt::format("run --quiet --preempt all --window 20us --seed {} --record run.orr --method {} "
                  "./app {}",
                  seed, method, arguments));
  INFO(run.err);
  REQUIRE(run.status == 0);
  return run;
}

/// Each replay of `run.orr`, on whatever machine, ends well, with that output.
inline void check_replays(const WorkingDirectory& here, const std::string& wanted) {
  for (const char* const machine : {"", "--seed 8 --window 30us", "--window inf"}) {
    CAPTURE(machine);
    const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == wanted);
  }
}

/// The output of `run.orr`'s replays and what was found, where that is the same on all machines.
inline std::string outputs_of_replays(const WorkingDirectory& here) {
  std::set<std::string> outputs;
  for (const char* const machine : {"", "--seed 8 --window 30us", "--window inf"}) {
    const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
    outputs.insert(again.out + again.err.substr(0, again.err.find("\nrun ")));
  }
  REQUIRE(outputs.size() == 1);
  return *outputs.begin();
}

}  // namespace orrery::test
