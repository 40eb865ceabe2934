// The recorder of orders that `./dev bench record` measures ours beside: it keeps every receive.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "recorded_job.hpp"

namespace {

using orrery::test::build_with_mpicc;
using orrery::test::CommandResult;
using orrery::test::has_open_mpi;
using orrery::test::WorkingDirectory;

using Orders = std::vector<std::pair<std::int32_t, std::int32_t>>;

Orders orders_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Orders orders;
  std::int32_t words[2];
  while (file.read(reinterpret_cast<char*>(words), sizeof words)) {
    orders.emplace_back(words[0], words[1]);
  }
  return orders;
}

// Rank 0 receives a message of each tag in another way; those of 20 by a persistent receive.
constexpr const char* all_ways =
    "#include <mpi.h>\n"
    "#define IN in, 1, MPI_INT\n#define FROM(tag) MPI_ANY_SOURCE, tag, MPI_COMM_WORLD\n"
    "static int in[2], flag, index, count, which[2];\n"
    "static MPI_Status s[2];\nstatic MPI_Request r[2];\nstatic MPI_Message m;\n"
    "static void begin(int tag) {\n"
    "  MPI_Irecv(in, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &r[0]);\n"
    "  MPI_Irecv(in + 1, 1, MPI_INT, MPI_ANY_SOURCE, tag + 1, MPI_COMM_WORLD, &r[1]);\n}\n"
    "static void receive_all(void) {\n"
    "  MPI_Recv(in, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
    "  begin(2); MPI_Wait(&r[0], s); do MPI_Test(&r[1], &flag, s); while (!flag);\n"
    "  begin(4); MPI_Waitall(2, r, MPI_STATUSES_IGNORE);\n"
    "  begin(6); MPI_Wait(&r[0], s); MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);\n"
    "  begin(8); for (int done = 0; done < 2; done += count)\n"
    "    MPI_Waitsome(2, r, &count, which, MPI_STATUSES_IGNORE);\n"
    "  begin(10); do MPI_Testall(2, r, &flag, s); while (!flag);\n"
    "  begin(12); MPI_Wait(&r[0], s); do MPI_Testany(2, r, &index, &flag, s); while (!flag);\n"
    "  begin(14); for (int done = 0; done < 2; done += count)\n"
    "    MPI_Testsome(2, r, &count, which, s);\n"
    "  MPI_Sendrecv(in, 1, MPI_INT, MPI_PROC_NULL, 0, IN, FROM(16), s);\n"
    "  MPI_Sendrecv_replace(IN, MPI_PROC_NULL, 0, 1, 17, MPI_COMM_WORLD, s);\n"
    "  MPI_Recv_init(IN, FROM(20), r); MPI_Start(r); MPI_Wait(r, s); MPI_Wait(r, s);\n"
    "  r[1] = MPI_REQUEST_NULL; MPI_Startall(1, r); MPI_Waitall(2, r, s);\n"
    "  MPI_Request_free(r);\n"
    // Seen and taken: two events.
    "  MPI_Probe(FROM(21), s); MPI_Recv(IN, FROM(21), MPI_STATUS_IGNORE);\n"
    "  do MPI_Iprobe(FROM(22), &flag, s); while (!flag);\n"
    "  MPI_Mprobe(FROM(22), &m, MPI_STATUS_IGNORE); MPI_Mrecv(IN, &m, MPI_STATUS_IGNORE);\n"
    "  do MPI_Improbe(FROM(23), &flag, &m, s); while (!flag);\n"
    "  MPI_Imrecv(IN, &m, r); MPI_Wait(r, MPI_STATUS_IGNORE);\n"
    // None of these receives anything.
    "  MPI_Isend(IN, 1, 0, MPI_COMM_WORLD, r); MPI_Wait(r, s);\n"
    "  MPI_Recv(IN, MPI_PROC_NULL, 1, MPI_COMM_WORLD, s);\n"
    "  MPI_Irecv(IN, MPI_PROC_NULL, 1, MPI_COMM_WORLD, r); MPI_Wait(r, s);\n"
    "  MPI_Irecv(IN, FROM(99), r); MPI_Cancel(r); MPI_Wait(r, s);\n}\n"
    "int main(int argc, char** argv) {\n  int rank;\n  MPI_Init(&argc, &argv);\n"
    "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  if (rank == 0) {\n    receive_all();\n"
    "  } else {\n    const int tags[] = {16, 17, 20, 20, 21, 22, 23};\n"
    "    for (int tag = 1; tag < 16; ++tag) MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);\n"
    "    for (int i = 0; i < 7; ++i) MPI_Send(tags, 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD);\n"
    "    MPI_Recv(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n  }\n"
    "  MPI_Finalize();\n  return 0;\n}\n";

}  // namespace

TEST_CASE("The benchmark's recorder of orders keeps the sender and tag of every receive") {
  if (!has_open_mpi()) return;
  const WorkingDirectory here;
  build_with_mpicc(here, "app", all_ways);
  const CommandResult run = here.shell(
      "mpicxx -std=c++20 -O2 -DOMPI_SKIP_MPICXX -fPIC -shared " ORRERY_SOURCE_DIR
      "/bench/record/programs/orders.cpp -o liborders.so && timeout 60 mpirun --allow-run-as-root "
      "--oversubscribe -x LD_PRELOAD=$PWD/liborders.so -x ORDERS_PREFIX=$PWD/rank -n 2 ./app");
  INFO(run.out << run.err);
  REQUIRE(run.status == 0);
  Orders expected;
  for (int tag = 1; tag <= 17; ++tag) expected.emplace_back(1, tag);
  for (const int tag : {20, 20, 21, 21, 22, 22, 22, 23, 23}) expected.emplace_back(1, tag);
  CHECK(orders_in(here.path() / "rank-0") == expected);
  CHECK(orders_in(here.path() / "rank-1") == Orders{{0, 0}});
}
