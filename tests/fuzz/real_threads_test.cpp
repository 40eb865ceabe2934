// Random programs of real threads, recorded by `orrery record` on this machine's cores: each does
// the same again in simulation, under other seeds and windows.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "fuzz/real_runs.hpp"

namespace {

using orrery::test::check_real_runs;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

constexpr const char* source = ORRERY_SOURCE_DIR "/tests/programs/random_threads/main.cpp";
constexpr const char* delays = "--inject-delays=200us --seed 3";
constexpr const char* by_objects = "--method lamport-order:objects=yes";
constexpr const char* by_versions = "--method instant-replay";

void check_methods(const WorkingDirectory& here) {
  check_real_runs(here, 40, "");
  check_real_runs(here, 15, delays);
  check_real_runs(here, 30, by_objects);
  check_real_runs(here, 30, by_versions);
  check_real_runs(here, 10, fmt::format("{} {}", by_versions, delays));
  check_real_runs(here, 10, fmt::format("{} {}", by_objects, delays));
}

}  // namespace

TEST_CASE("What real threads did is done again: an unchanged program", "[campaign]") {
  const WorkingDirectory here;
  const CommandResult built = here.shell(
      fmt::format("{} -std=c++20 -O2 -g -pthread {} -o app", ORRERY_CXX_COMPILER, source));
  INFO(built.err);
  REQUIRE(built.status == 0);
  check_methods(here);
}

TEST_CASE("What real threads did is done again: a program by orrery cc, with its atomics",
          "[campaign]") {
  const WorkingDirectory here;
  const CommandResult built =
      here.orrery(fmt::format("c++ -std=c++20 -O2 -g -DWITH_ATOMICS -pthread {} -o app", source));
  INFO(built.err);
  REQUIRE(built.status == 0);
  check_methods(here);
}
