// Deadlocks of MPI programs, as a user meets them: found by a search, made small, told in words,
// and replayed.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

std::string program(const std::string& body) {
  return "#include <mpi.h>\n"
         "int main(int argc, char** argv) {\n"
         "  int rank = 0, mine = 0, theirs = 0;\n"
         "  MPI_Init(&argc, &argv);\n"
         "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n" +
         body +
         "  MPI_Finalize();\n"
         "  return 0;\n"
         "}\n";
}

const std::string head_to_head = program(
    "  MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);\n"
    "  MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n");

TEST_CASE("A search finds that small sends head to head rely on buffers, and says so in words") {
  const WorkingDirectory here;
  build_app(here, head_to_head, "-g");
  CHECK(here.orrery("run -n 2 ./app").status == 0);
  CHECK(here.orrery("explore -n 2 --window 0 --runs 100 ./app").status == 0);
  const CommandResult found = here.orrery("explore -n 2 --runs 100 -o bug.orr ./app");
  INFO(found.out << found.err);
  CHECK(found.status == 1);
  CHECK(has(found.out,
            "deadlock (depends on buffering): nobody can go on: rank 0 waits in "
            "MPI_Send for rank 1 to receive its message with tag 0"));
  CHECK(has(found.out, "in a circle: rank 0 waits for rank 1, rank 1 waits for rank 0"));
  CHECK(has(found.out, "made small: 0 preemptions, 1 deviation"));
  CHECK(has(found.out, ">> no standard send is buffered"));
}

TEST_CASE("A deadlock for want of buffers is replayed under another seed, window and platform") {
  const WorkingDirectory here;
  build_app(here, head_to_head, "-g");
  REQUIRE(here.orrery("explore -n 2 --runs 100 -o bug.orr ./app").status == 1);
  std::string message;
  for (const std::string machine :
       {"", "--seed 7", "--window 0", "--window 1s", "--platform myrinet-pcixd"}) {
    CAPTURE(machine);
    const CommandResult again = here.orrery("replay --json " + machine + " bug.orr");
    CHECK(again.status == 1);
    const json finding = json::parse(again.out)["findings"].at(0);
    CHECK(finding["kind"] == "deadlock");
    CHECK(finding["class"] == "depends on buffering");
    if (message.empty()) message = finding["message"];
    CHECK(finding["message"] == message);
  }
  REQUIRE(here.orrery("run -n 2 --record plain.orr ./app").status == 0);
  for (const std::string machine : {"", "--seed 7", "--window 1s", "--platform myrinet-pcixd"}) {
    CAPTURE(machine);
    CHECK(here.orrery("replay " + machine + " plain.orr").status == 0);
  }
}

TEST_CASE("A deadlock that is there with buffers too is not said to depend on them") {
  const WorkingDirectory here;
  build_app(here,
            program("  if (rank == 0) MPI_Send(&mine, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);\n"
                    "  if (rank == 1)\n"
                    "    MPI_Recv(&theirs, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, "
                    "MPI_STATUS_IGNORE);\n"),
            "-g");
  for (const std::string seed : {"0", "1", "2", "3", "4", "5"}) {
    CAPTURE(seed);
    const auto found = here.orrery("explore --json -n 2 --runs 20 --seed " + seed + " ./app");
    const json finding = json::parse(found.out)["findings"].at(0);
    CHECK(finding["kind"] == "deadlock");
    CHECK(finding["class"] == "certain");
    CHECK(has(finding["message"], "rank 1 waits in MPI_Recv for a message from rank 0"));
  }
}

TEST_CASE("The shortest way to a deadlock by a wildcard is the one message that overtakes") {
  const WorkingDirectory here;
  build_app(here,
            program("  if (rank == 0) {\n"
                    "    MPI_Recv(&theirs, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, "
                    "MPI_STATUS_IGNORE);\n"
                    "    MPI_Recv(&theirs, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
                    "  } else {\n"
                    "    MPI_Send(&mine, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n"
                    "  }\n"),
            "-g");
  const CommandResult found = here.orrery("explore -n 3 --runs 200 -o bug.orr ./app");
  INFO(found.out << found.err);
  CHECK(found.status == 1);
  CHECK(has(found.out,
            "deadlock (certain): nobody can go on: rank 0 waits in MPI_Recv for a "
            "message from rank 2, which has ended, with tag 0"));
  CHECK(has(found.out, "made small: 0 preemptions, 1 deviation"));
  CHECK(has(found.out, ">> a message of rank 2 arrives first"));
  const CommandResult again = here.orrery("replay bug.orr");
  CHECK(again.status == 1);
  CHECK(has(again.err, "deadlock (certain)"));
}

/// What is said of four ranks of which one does `instead` before the others' operation.
json deadlock_of(const std::string& call, int late_rank, const std::string& instead) {
  const WorkingDirectory here;
  build_app(here,
            "#include <stddef.h>\n" +
                program("  int all[4] = {0};\n  (void)all;\n  if (rank == " +
                        std::to_string(late_rank) + ")\n    " + instead + "\n  " + call + "\n"),
            "-g");
  const CommandResult result = here.orrery("run --json -n 4 ./app");
  INFO(call << result.out << result.err);
  REQUIRE(result.status == 1);
  const json finding = json::parse(result.out)["findings"].at(0);
  CHECK(finding["kind"] == "deadlock");
  CHECK(finding["class"] == "certain");
  return finding;
}

TEST_CASE("Who collects waits for whom: the root of a gather, or the ranks between in a tree") {
  const std::string late =
      "MPI_Recv(&theirs, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
  const std::string in_circle = "rank 3 waits in MPI_Recv for a message from rank 0 with tag 0";
  const std::string gather = deadlock_of(
      "MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);", 3, late)["message"];
  CAPTURE(gather);
  CHECK(has(gather, "rank 0 waits in MPI_Gather for rank 3"));
  CHECK(has(gather, in_circle));
  CHECK(has(gather, "in a circle: rank 0 waits for rank 3, rank 3 waits for rank 0"));
  const std::string reduce = deadlock_of(
      "MPI_Reduce(&mine, all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);", 3, late)["message"];
  CAPTURE(reduce);
  CHECK(has(reduce, "rank 0 waits in MPI_Reduce for rank 2"));
  CHECK(has(reduce, "rank 2 waits in MPI_Reduce for rank 3"));
  CHECK(has(reduce, in_circle));
  CHECK(has(reduce, "in a circle: "));
}

TEST_CASE("Who is given something waits for the root, or for the rank that passes it on") {
  const std::string late =
      "MPI_Recv(&theirs, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);";
  const std::string bcast =
      deadlock_of("MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);", 0, late)["message"];
  CAPTURE(bcast);
  CHECK(has(bcast, "rank 0 waits in MPI_Recv for a message from rank 3 with tag 0"));
  CHECK(has(bcast, "rank 1 waits in MPI_Bcast for rank 0"));
  CHECK(has(bcast, "rank 3 waits in MPI_Bcast for rank "));
  CHECK(has(bcast, "in a circle: "));
  const std::string scatter = deadlock_of(
      "MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);", 0, late)["message"];
  CAPTURE(scatter);
  CHECK(has(scatter, "rank 3 waits in MPI_Scatter for rank 0"));
  CHECK(has(scatter, "in a circle: rank 0 waits for rank 3, rank 3 waits for rank 0"));
}

}  // namespace
