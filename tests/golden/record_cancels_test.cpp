// `orrery record`: a receive that names its source and was cancelled in time gets no message in a
// replay, however early that comes there.
#include <string>

#include <catch2/catch.hpp>

#include "recorded_job.hpp"

namespace {

using orrery::test::build_with_mpicc;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::has_open_mpi;
using orrery::test::record;
using orrery::test::WorkingDirectory;

/// Rank 1 computes for a while, in no time for a simulated machine, and then sends three messages.
/// Rank 0 has receives for them begun by `begin` and cancels the first one.  Before that both do
/// what begins receives that are not counted, or counted.
std::string program(const std::string& begin, const std::string& end) {
  return "#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\n"
         "int main(int argc, char** argv) {\n  int rank, in[3] = {0, 0, 0}, sum, is_off;\n"
         "  MPI_Comm twin;\n  MPI_Request r[3], b;\n  MPI_Status s;\n  MPI_Init(&argc, &argv);\n"
         "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  const int other = 1 - rank;\n"
         "  MPI_Comm_dup(MPI_COMM_WORLD, &twin);\n"
         "  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, twin);\n"
         "  MPI_Sendrecv(&rank, 1, MPI_INT, other, 3, in, 1, MPI_INT, other, 3, twin, &s);\n"
         "  MPI_Ibarrier(twin, &b);\n  MPI_Wait(&b, MPI_STATUS_IGNORE);\n"
         "  MPI_Irecv(in, 1, MPI_INT, other, 4, MPI_COMM_WORLD, &b);\n"
         "  MPI_Send(&rank, 1, MPI_INT, other, 4, MPI_COMM_WORLD);\n"
         "  MPI_Wait(&b, MPI_STATUS_IGNORE);\n"
         "  if (rank == 1) {\n    volatile double x = 1;\n"
         "    for (long i = 0; i < 200000000; ++i) x = x * 1.0000001;\n"
         "    for (int i = 1; i <= 3; ++i) MPI_Send(&i, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);\n"
         "  } else {\n" +
         begin +
         "    usleep(20000);\n    MPI_Cancel(&r[0]);\n    MPI_Wait(&r[0], &s);\n"
         "    MPI_Test_cancelled(&s, &is_off);\n"
         "    MPI_Waitall(2, r + 1, MPI_STATUSES_IGNORE);\n"
         "    printf(\"%d: %d %d %d\\n\", is_off, in[0], in[1], in[2]);\n"
         "    MPI_Recv(in, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
         "    printf(\"then %d\\n\", in[0]);\n" +
         end +
         "  }\n"
         "  MPI_Comm_free(&twin);\n  MPI_Finalize();\n  return 0;\n}\n";
}

void check(const std::string& begin, const std::string& end = {}) {
  const WorkingDirectory here;
  build_with_mpicc(here, "app", program(begin, end));
  const CommandResult run = record(here, "app.orr", 2, "./app");
  INFO(begin << run.out << run.err);
  REQUIRE(run.status == 0);
  REQUIRE(has(run.out, "1: 0 1 2\nthen 3\n"));
  for (const char* const machine : {"", "--platform ethernet-1g", "--window inf --seed 3"}) {
    const CommandResult again = here.orrery(std::string("replay app.orr ") + machine);
    INFO(machine << again.out << again.err);
    CHECK(again.status == 0);
    CHECK(again.out == run.out);
  }
}

}  // namespace

TEST_CASE("A replay gives no message to a receive by name that was cancelled on the real machine") {
  if (!has_open_mpi()) return;
  check(
      "    in[0] = 0;\n    for (int i = 0; i < 3; ++i)\n"
      "      MPI_Irecv(in + i, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &r[i]);\n");
  check(
      "    in[0] = 0;\n    for (int i = 0; i < 3; ++i)\n"
      "      MPI_Recv_init(in + i, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &r[i]);\n"
      "    MPI_Startall(3, r);\n",
      "    for (int i = 0; i < 3; ++i) MPI_Request_free(&r[i]);\n");
}
