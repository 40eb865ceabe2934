// Random programs of real threads that race for common memory, recorded with all that they do to
// it: each read gets the same again in simulation, under other seeds and windows.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "fuzz/real_runs.hpp"

namespace {

using orrery::test::check_real_runs;
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

}  // namespace

TEST_CASE("What real threads did to common memory is done again, races included", "[campaign]") {
  const WorkingDirectory here;
  build(here, "", "random_memory");
  for (const std::string method : {"leap", "stride"}) {
    check_real_runs(here, 40, "--method " + method);
    check_real_runs(here, 15, "--method " + method + " --inject-delays=200us --seed 3");
  }
}

TEST_CASE("What real threads did is done again: locks and atomics beside memory", "[campaign]") {
  const WorkingDirectory here;
  build(here, "-DWITH_ATOMICS", "random_threads");
  for (const std::string method : {"leap", "stride"}) {
    check_real_runs(here, 15, "--method " + method);
    check_real_runs(here, 5, "--method " + method + " --inject-delays=200us --seed 3");
  }
}
