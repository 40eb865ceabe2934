// The program of random MPI operations (tests/programs/random_mpi) has no fault, whatever the
// schedule: what finds one in it is wrong.
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "golden/command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

constexpr int programs = 40;

const std::string sources = " -std=gnu11 -O1 -g -Wall -Wextra -Werror " ORRERY_SOURCE_DIR
                            "/tests/programs/random_mpi/*.c -o ";

std::string ranks_of(int seed) {
  return "-n " + std::to_string(2 + seed % 7) + " ";
}

void build(const WorkingDirectory& here, const std::string& compiler, const std::string& name) {
  const CommandResult built = here.shell(compiler + sources + name);
  INFO(built.err);
  REQUIRE(built.status == 0);
}

}  // namespace

TEST_CASE("Programs of random MPI operations run clean, in any order, buffered or not") {
  const WorkingDirectory here;
  build(here, "'" ORRERY_BINARY "' cc", "app");
  for (int seed = 1; seed <= programs; ++seed) {
    for (const std::string machine :
         {"", "--window inf ", "--window inf --eager-threshold 0 ", "--window 20us "}) {
      const std::string words = "run " + ranks_of(seed) + machine;
      CAPTURE(words, seed);
      const CommandResult run = here.orrery(words + "./app " + std::to_string(seed));
      INFO(run.err);
      CHECK(run.status == 0);
    }
    CAPTURE(seed);
    const CommandResult search =
        here.orrery("explore --runs 15 " + ranks_of(seed) + "./app " + std::to_string(seed));
    INFO(search.out);
    CHECK(search.status == 0);
  }
}

TEST_CASE("Most programs of random MPI operations give other bytes under another schedule") {
  const WorkingDirectory here;
  build(here, "'" ORRERY_BINARY "' cc", "app");
  int different = 0;
  for (int seed = 1; seed <= programs; ++seed) {
    std::set<std::string> outputs;
    for (const std::string schedule : {"1", "2", "3"}) {
      const std::string words = "run --window inf --seed " + schedule + " " + ranks_of(seed);
      outputs.insert(
          here.shell("'" ORRERY_BINARY "' " + words + "./app " + std::to_string(seed) + " | sort")
              .out);
    }
    if (outputs.size() > 1) ++different;
  }
  CHECK(different > programs * 9 / 10);
}

TEST_CASE("Programs of random MPI operations run clean under Debian's Open MPI") {
  const WorkingDirectory here;
  if (here.shell("mpicc --version && mpirun --version").status != 0) {
    WARN("Open MPI (openmpi-bin, libopenmpi-dev) is not installed: nothing to run");
    return;
  }
  build(here, "mpicc", "app");
  for (int seed = 1; seed <= programs / 2; ++seed) {
    CAPTURE(seed);
    const CommandResult run = here.shell("mpirun --allow-run-as-root --oversubscribe " +
                                         ranks_of(seed) + "./app " + std::to_string(seed));
    INFO(run.err);
    CHECK(run.status == 0);
  }
}
