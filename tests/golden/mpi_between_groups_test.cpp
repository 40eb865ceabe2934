// Collective operations on intercommunicators, beside Debian's Open MPI where it is.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

const std::string source = ORRERY_SOURCE_DIR "/tests/golden/between_groups.c";

struct Groups {
  std::string ranks;
  std::string lows;  // how many of them are in the first group
};

// The second has more ranks in a group than go without a tree.
const Groups groups[] = {{"3", "1"}, {"5", "2"}, {"14", "12"}};

void must(const CommandResult& result) {
  INFO(result.out << result.err);
  REQUIRE(result.status == 0);
}

}  // namespace

TEST_CASE(
    "Collectives between two groups give what they give under Debian's Open MPI, in any order") {
  const WorkingDirectory here;
  must(here.shell("'" ORRERY_BINARY "' cc -O1 -g -Wall -Wextra -Werror '" + source + "' -o ours"));
  const bool has_other =
      here.shell("env -u OMPI_CC mpicc -O1 -g '" + source + "' -o theirs && mpirun --version")
          .status == 0;
  if (!has_other) WARN("Open MPI (openmpi-bin, libopenmpi-dev) is not installed");
  for (const auto& [ranks, lows] : groups) {
    CAPTURE(ranks, lows);
    const CommandResult ours = here.orrery("run -n " + ranks + " ./ours " + lows);
    INFO(ours.err);
    REQUIRE(ours.status == 0);
    here.write("answer.txt", ours.out);
    must(here.orrery("explore -n " + ranks + " --runs 30 --expect-output answer.txt ./ours " +
                     lows));
    must(here.orrery("explore -n " + ranks +
                     " --eager-threshold 0 --runs 30 --expect-output answer.txt ./ours " + lows));
    if (!has_other) continue;
    const CommandResult theirs =
        here.shell("mpirun --allow-run-as-root --oversubscribe -n " + ranks + " ./theirs " + lows);
    INFO(theirs.err);
    REQUIRE(theirs.status == 0);
    CHECK(ours.out == theirs.out);
  }
}
