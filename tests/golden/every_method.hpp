// Programs that are recorded on real cores and in simulation, by every method that their build
// allows.
#pragma once

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"

namespace orrery::test {

inline void check_replay(const WorkingDirectory& here, const CommandResult& recorded) {
  INFO(recorded.out << recorded.err);
  REQUIRE(recorded.status == 0);
  const CommandResult again = here.orrery("replay run.orr");
  INFO(again.out << again.err);
  CHECK(again.status == 0);
  CHECK(again.out == recorded.out);
}

inline constexpr const char* all_methods[] = {"lamport-order", "instant-replay", "leap", "stride",
                                              "global-writes"};

/// Replays of what `app` does on real cores come to what it came to.
inline void check_real_recordings(const WorkingDirectory& here) {
  for (const char* const method : all_methods) {
    CAPTURE(method);
    for (const char* const noise : {"", "", "--inject-delays", "--inject-delays"}) {
      const std::string record = fmt::format("record --method {} {} -o run.orr", method, noise);
      const CommandResult real = here.orrery(record + " ./app");
      CHECK(real.err.find("other processes") == std::string::npos);
      check_replay(here, real);
    }
  }
}

/// The same of what it does in simulation, also where threads come in other orders than their
/// dates have.
inline void check_simulated_recordings(const WorkingDirectory& here, const char* window = "0",
                                       const std::vector<int>& seeds = {1, 2, 3}) {
  for (const std::string method : all_methods) {
    // Stamps of synchronisation need no more preemptions than a run has anyhow.
    const char* const preemption = method == "lamport-order" ? "" : "--preempt all";
    for (const int seed : seeds) {
      CAPTURE(method, seed);
      const std::string run =
          fmt::format("run --quiet {} --window {} --seed {} --record run.orr --method {}",
                      preemption, window, seed, method);
      check_replay(here, here.orrery(run + " ./app"));
    }
  }
}

/// Of a program that `orrery cc` or `c++` builds: both.
inline void check_recordings(const std::string& source, const std::string& language = "c") {
  const WorkingDirectory here;
  build_app(here, source, "-g -O1 -w -pthread", language);
  check_real_recordings(here);
  check_simulated_recordings(here);
}

}  // namespace orrery::test
