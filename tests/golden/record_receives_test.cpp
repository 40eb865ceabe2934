// What `orrery record` keeps of each way to receive, in programs whose order is fixed.
#include <vector>

#include <catch2/catch.hpp>

#include "recorded_job.hpp"

namespace {

using orrery::OpenCalls;
using orrery::test::build_with_mpicc;
using orrery::test::CommandResult;
using orrery::test::has_open_mpi;
using orrery::test::RecordedLog;
using orrery::test::WorkingDirectory;

using Sources = std::vector<std::int32_t>;

// Rank 0 asks a rank for a message with a tag, and then receives it: nothing is left to chance.
constexpr const char* asking =
    "#include <mpi.h>\n#include <stdio.h>\n"
    "static MPI_Comm all[3];\nstatic int in[4];\n"
    "static void ask(int from, int tag, int which) {\n"
    "  int words[2] = {tag, which};\n"
    "  MPI_Send(words, 2, MPI_INT, from, 99, MPI_COMM_WORLD);\n}\n"
    "static void answer(void) {\n  for (;;) {\n    int words[2], rank;\n"
    "    MPI_Recv(words, 2, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
    "    if (words[0] == 0) return;\n    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "    MPI_Send(&rank, 1, MPI_INT, words[1] == 1 ? 2 : 0, words[0], all[words[1]]);\n  }\n}\n"
    "static void begin(int tag, MPI_Request* request) {\n"
    "  MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, request);\n}\n"
    "static void receive(int from, int tag) {\n"
    "  MPI_Recv(in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n}\n"
    "static void lead(void);\n"
    "int main(int argc, char** argv) {\n  int rank;\n  MPI_Comm part;\n  MPI_Init(&argc, &argv);\n"
    "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  all[0] = MPI_COMM_WORLD;\n"
    "  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &all[1]);\n"
    "  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part);\n"
    "  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 7, &all[2]);\n"
    "  if (rank == 0) {\n    lead();\n    for (int i = 1; i < 3; ++i) ask(i, 0, 0);\n"
    "  } else {\n    answer();\n  }\n"
    "  MPI_Comm_free(&all[1]);\n  MPI_Comm_free(&all[2]);\n  MPI_Comm_free(&part);\n"
    "  MPI_Finalize();\n  return 0;\n}\nstatic void lead(void) {\n"
    "  MPI_Request r[4];\n  MPI_Status s[4];\n  MPI_Message m;\n  int flag, index, count;\n"
    "  int which[4];\n  (void)s, (void)m, (void)flag, (void)index, (void)count, (void)which, "
    "(void)r;\n";

/// What rank 0 keeps of these statements.
OpenCalls kept_of(const std::string& statements) {
  const WorkingDirectory here;
  build_with_mpicc(here, "app", asking + statements + "}\n");
  const CommandResult run = orrery::test::record(here, "app.orr", 3, "./app");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  const RecordedLog log(here, "app.orr");
  CHECK(log.log.program.ranks == 3);
  CHECK(log.calls.size() <= 1);  // the others receive from rank 0 only
  CHECK(here.files() == std::vector<std::string>{"app", "app.c", "app.orr"});
  return log.of_rank(0);
}

}  // namespace

TEST_CASE("Blocking wildcard receives and probes are kept with their senders' ranks in the job") {
  if (!has_open_mpi()) return;
  const OpenCalls kept = kept_of(
      "ask(2, 1, 0); receive(MPI_ANY_SOURCE, 1);\n"
      "ask(1, 1, 0); receive(MPI_ANY_SOURCE, MPI_ANY_TAG);\n"
      "ask(1, 1, 0); receive(1, 1);\n"  // not from anybody: not kept
      "{ int words[2] = {1, 0};\n"
      "  MPI_Sendrecv(words, 2, MPI_INT, 2, 99, in, 1, MPI_INT, MPI_ANY_SOURCE, 1,\n"
      "               MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
      "  MPI_Sendrecv_replace(words, 2, MPI_INT, 1, 99, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, s); }\n"
      "ask(2, 3, 0); MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, s); receive(2, 3);\n"
      "ask(1, 3, 0); MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &m, s);\n"
      "MPI_Mrecv(in, 1, MPI_INT, &m, s);\n"
      "ask(2, 3, 1); MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 3, all[1], s);\n"
      "ask(2, 3, 2); MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 3, all[2], MPI_STATUS_IGNORE);\n"
      "MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, s);\n");
  CHECK(kept.sources == Sources{2, 1, 2, 1, 2, 1, 2, 2});
  CHECK(kept.failed_polls.empty());
  CHECK(kept.selections.empty());
}

TEST_CASE("Receives under way are kept where they began, whichever call completes them") {
  if (!has_open_mpi()) return;
  const OpenCalls kept = kept_of(
      "begin(11, &r[0]); begin(12, &r[1]);\n"
      "ask(1, 12, 0); MPI_Wait(&r[1], MPI_STATUS_IGNORE);\n"
      "ask(2, 11, 0); MPI_Wait(&r[0], s);\n"
      "MPI_Recv_init(in, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, r);\n"
      "MPI_Start(r); ask(1, 4, 0); MPI_Wait(r, s);\n"
      "MPI_Startall(1, r); ask(2, 4, 0); MPI_Waitall(1, r, MPI_STATUSES_IGNORE);\n"
      "MPI_Request_free(r);\n"
      "begin(21, &r[0]); begin(22, &r[1]);\n"
      "ask(2, 22, 0); ask(1, 21, 0); MPI_Waitall(2, r, MPI_STATUSES_IGNORE);\n"
      // Freed while it is under way: messages of one rank do not overtake each other.
      "begin(5, r); MPI_Request_free(r); ask(2, 5, 0); ask(2, 6, 0); receive(2, 6);\n"
      "begin(7, r); MPI_Cancel(r); MPI_Wait(r, MPI_STATUS_IGNORE);\n"
      "begin(8, r); ask(1, 8, 0); MPI_Wait(r, MPI_STATUS_IGNORE);\n");
  CHECK(kept.sources == Sources{2, 1, 1, 2, 1, 2, 2, -1, 1});
  CHECK(kept.cancellations == std::vector<bool>{true});
  CHECK(kept.failed_polls.empty());
}

TEST_CASE("Polls are kept where there is something to ask for, with how many failed before") {
  if (!has_open_mpi()) return;
  const OpenCalls kept = kept_of(
      "r[0] = r[1] = MPI_REQUEST_NULL;\n"
      "MPI_Test(r, &flag, s); MPI_Testall(2, r, &flag, s); MPI_Testany(2, r, &index, &flag, s);\n"
      "MPI_Testsome(2, r, &count, which, s); MPI_Request_get_status(r[0], &flag, s);\n"
      "MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, s);\n"
      "MPI_Recv_init(in, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, r);\n"
      "MPI_Test(r, &flag, s); MPI_Request_free(r);\n"  // none of these is one
      "begin(1, r); MPI_Test(r, &flag, s); MPI_Test(r, &flag, s);\n"
      "MPI_Request_get_status(r[0], &flag, s);\n"
      "ask(2, 1, 0); do MPI_Request_get_status(r[0], &flag, s); while (!flag);\n"
      "MPI_Test(r, &flag, s);\n"
      "MPI_Isend(in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, r);\n"
      "MPI_Testall(1, r, &flag, s);\n"
      "ask(1, 2, 0); do MPI_Iprobe(1, 2, MPI_COMM_WORLD, &flag, s); while (!flag); receive(1, 2);\n"
      "ask(1, 3, 0);\n"
      "do MPI_Improbe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, &m, s); while (!flag);\n"
      "MPI_Imrecv(in, 1, MPI_INT, &m, r); MPI_Wait(r, s);\n"
      "begin(9, r); MPI_Test(r, &flag, s); MPI_Test(r, &flag, s); ask(2, 9, 0); MPI_Wait(r, s);\n");
  CHECK(kept.sources == Sources{2, 1, 2});
  REQUIRE(kept.failed_polls.size() == 5);
  CHECK(kept.failed_polls[0] >= 3);
  CHECK(kept.failed_polls[1] == 0);
  CHECK(kept.failed_polls[2] == 0);
  CHECK(kept.last_failed_polls == 2);
}

TEST_CASE("Which of several requests a call reports is kept, counted among those under way") {
  if (!has_open_mpi()) return;
  const OpenCalls kept = kept_of(
      "begin(31, &r[0]); r[1] = MPI_REQUEST_NULL; begin(32, &r[2]); begin(33, &r[3]);\n"
      "ask(2, 32, 0); MPI_Waitany(4, r, &index, MPI_STATUS_IGNORE);\n"
      "ask(1, 33, 0); MPI_Waitsome(4, r, &count, which, MPI_STATUSES_IGNORE);\n"
      "ask(2, 31, 0); MPI_Waitany(4, r, &index, s);\n"  // only one is left
      "MPI_Irecv(in, 1, MPI_INT, 1, 41, MPI_COMM_WORLD, &r[0]);\n"
      "MPI_Irecv(in, 1, MPI_INT, 2, 42, MPI_COMM_WORLD, &r[1]);\n"
      "ask(2, 42, 0); do MPI_Testsome(2, r, &count, which, s); while (!count);\n"
      "ask(1, 41, 0); do MPI_Testany(2, r, &index, &flag, s); while (!flag);\n"
      "MPI_Recv_init(in, 1, MPI_INT, 1, 51, MPI_COMM_WORLD, &r[0]);\n"
      "MPI_Recv_init(in, 1, MPI_INT, 1, 52, MPI_COMM_WORLD, &r[1]);\n"
      "MPI_Recv_init(in, 1, MPI_INT, 1, 53, MPI_COMM_WORLD, &r[2]);\n"
      "MPI_Start(&r[1]); MPI_Start(&r[2]); ask(1, 53, 0); MPI_Waitany(3, r, &index, s);\n"
      "ask(1, 52, 0); MPI_Wait(&r[1], s);\n"
      "for (int i = 0; i < 3; ++i) MPI_Request_free(&r[i]);\n");
  CHECK(kept.sources == Sources{2, 2, 1});
  using Selection = OpenCalls::Selection;
  CHECK(kept.selections == std::vector<Selection>{{3, {1}}, {2, {1}}, {2, {1}}, {2, {1}}});
  CHECK(kept.failed_polls.size() == 2);
}
