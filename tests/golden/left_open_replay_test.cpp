// What the MPI standard leaves open is answered once and kept in the log: a replay has these
// answers under another seed, window and platform.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

std::string program(const std::string& body) {
  return "#include <assert.h>\n#include <mpi.h>\n#include <stdlib.h>\n"
         "int main(int argc, char **argv) {\n  int rank, size, mine = 1, got = 0, flag = 0;\n"
         "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
         "  MPI_Comm_size(MPI_COMM_WORLD, &size);\n  (void)mine, (void)got, (void)flag;\n" +
         body + "  MPI_Finalize();\n  return 0;\n}\n";
}

/// Finds what only one of the answers brings about, and replays that elsewhere.
void check_replays(const std::string& body, const std::string& kind, const std::string& words,
                   int timed_status = 0) {
  const WorkingDirectory here;
  build_app(here, program(body), "-g -O1");
  const CommandResult timed = here.orrery("run -n 3 ./app");
  INFO(body << timed.err);
  CHECK(timed.status == timed_status);
  const CommandResult found =
      here.orrery("explore --json --runs 2000 -n 3 --seed 3 -o app.orr ./app");
  INFO(found.out << found.err);
  REQUIRE(found.status == 1);
  const json finding = json::parse(found.out)["findings"].at(0);
  CHECK(finding["kind"] == kind);
  CHECK_THAT(finding["message"].get<std::string>(), Catch::Contains(words));
  const json steps = json::parse(here.orrery("replay --json app.orr").out)["steps"];
  for (const char* const machine :
       {"", "--seed 99", "--window 0", "--window 7us", "--platform ethernet-1g",
        "--platform myrinet-pcixe --window 0 --seed 5", "--platform ethernet-1g --seed 6"}) {
    const CommandResult again = here.orrery("replay --json " + std::string(machine) + " app.orr");
    INFO(machine << again.out << again.err);
    REQUIRE(again.status == 1);
    const json report = json::parse(again.out);
    CHECK(report["findings"].at(0)["kind"] == kind);
    CHECK(report["findings"].at(0)["message"] == finding["message"]);
    CHECK(report["steps"] == steps);
  }
}

}  // namespace

TEST_CASE("Whether standard sends buffer is replayed as it was") {
  check_replays(
      "  MPI_Send(&mine, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);\n"
      "  MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, "
      "MPI_STATUS_IGNORE);\n",
      "deadlock", "it depends on buffering");
}

TEST_CASE("Whether an operation with a root keeps everybody is replayed as it was") {
  // Rank 0 knows more than it may: that rank 2 has not come to the broadcast yet.
  check_replays(
      "  if (rank == 2) MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
      "  MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);\n"
      "  if (rank == 0) MPI_Send(&mine, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);\n",
      "deadlock", "in MPI_Bcast for rank");
}

TEST_CASE("Whether MPI_Win_start waits is replayed as it was") {
  check_replays(
      "  MPI_Win window;\n  MPI_Group all, other;\n"
      "  MPI_Win_create(&got, sizeof got, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);\n"
      "  MPI_Comm_group(MPI_COMM_WORLD, &all);\n  int peer = 1 - rank;\n"
      "  if (rank < 2) {\n    MPI_Group_incl(all, 1, &peer, &other);\n"
      "    MPI_Win_start(other, 0, window);\n    MPI_Win_post(other, 0, window);\n"
      "    MPI_Put(&mine, 1, MPI_INT, peer, 0, 1, MPI_INT, window);\n"
      "    MPI_Win_complete(window);\n    MPI_Win_wait(window);\n    MPI_Group_free(&other);\n  }\n"
      "  MPI_Group_free(&all);\n  MPI_Win_free(&window);\n",
      "deadlock", "in MPI_Win_start for", 1);
}
