// Random programs of real threads, recorded by `orrery record` on this machine's cores: each does
// the same again in simulation, under other seeds and windows.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "fuzz/real_runs.hpp"

namespace {

using orrery::test::build_random;
using orrery::test::check_real_method;
using orrery::test::CommandResult;
using orrery::test::real_programs;
using orrery::test::WorkingDirectory;

constexpr const char* source = ORRERY_SOURCE_DIR "/tests/programs/random_threads/main.cpp";

/// Half of the programs of each method: there are two builds.
void check_methods(const WorkingDirectory& here) {
  for (const char* const method :
       {"lamport-order", "lamport-order:objects=yes", "instant-replay"}) {
    check_real_method(here, real_programs / 2, method);
  }
}

}  // namespace

TEST_CASE("What real threads did is done again: an unchanged program", "[campaign]") {
  const WorkingDirectory here;
  build_by(here, ORRERY_CXX_COMPILER " -std=c++17 -O2 -g -pthread", source);
  check_methods(here);
}

TEST_CASE("What real threads did is done again: a program by orrery cc, with its atomics",
          "[campaign]") {
  const WorkingDirectory here;
  build_random(here, "-DWITH_ATOMICS", "random_threads");
  check_methods(here);
}
