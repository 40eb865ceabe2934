// Collective operations in numbers: several under way at once, and very many ranks.
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "mpi_collective_data.hpp"

using namespace mpi_collectives;

TEST_CASE("several non-blocking collectives are under way at once, and end in any order") {
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U, 4U, 5U}) {
    const auto outcome = mpi_machine::run({.ranks = 5, .seed = seed}, [](int rank) {
      std::array<double, 3> sums{};
      double from_root = rank == 2 ? 7.0 : 0.0;
      std::array<double, 5> all{};
      const std::array<double, 3> mine{1.0 + rank, 10.0, rank == 4 ? -1.0 : 0.0};
      std::array<MPI_Request, 5> requests{};
      MPI_Comm copy = MPI_COMM_NULL;
      MPI_Iallreduce(&mine[0], &sums[0], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
      MPI_Ibcast(&from_root, 1, MPI_DOUBLE, 2, MPI_COMM_WORLD, &requests[1]);
      MPI_Comm_idup(MPI_COMM_WORLD, &copy, &requests[2]);
      MPI_Iallgather(&mine[0], 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD,
                     &requests[3]);
      MPI_Iallreduce(&mine[2], &sums[2], 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &requests[4]);
      // A blocking one, and messages, go on beside them.
      MPI_Allreduce(&mine[1], &sums[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      orrery::check(sums[1] == 50.0);
      // Each rank waits for them in an order of its own.
      for (int step = 0; step < 5; ++step)
        MPI_Wait(&requests[static_cast<std::size_t>((step * 2 + rank) % 5)], MPI_STATUS_IGNORE);
      orrery::check(sums[0] == 15.0 && sums[2] == -1.0 && from_root == 7.0);
      for (int peer = 0; peer < 5; ++peer)
        orrery::check(all[static_cast<std::size_t>(peer)] == 1.0 + peer);
      int relation = -1;
      MPI_Comm_compare(MPI_COMM_WORLD, copy, &relation);
      orrery::check(relation == MPI_CONGRUENT);
      MPI_Allreduce(&mine[0], &sums[0], 1, MPI_DOUBLE, MPI_MAX, copy);
      orrery::check(sums[0] == 5.0);
      MPI_Comm_free(&copy);
    });
    CAPTURE(seed);
    CHECK(mpi_machine::first_message(outcome) == "");
  }
}

TEST_CASE("1,024 ranks do collectives together") {
  constexpr int ranks = 1024;
  const auto outcome = mpi_machine::run({.ranks = ranks}, [](int rank) {
    long sum = 0;
    const long mine = rank;
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    orrery::check(sum == static_cast<long>(ranks) * (ranks - 1) / 2);
    int value = rank == 77 ? 5 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 77, MPI_COMM_WORLD);
    orrery::check(value == 5);
    std::vector<int> all(rank == 3 ? ranks : 0);
    MPI_Gather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, 3, MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks && rank == 3; ++peer)
      orrery::check(all[static_cast<std::size_t>(peer)] == peer);
    long before = -1;
    MPI_Exscan(&mine, &before, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0) orrery::check(before == static_cast<long>(rank) * (rank - 1) / 2);
    MPI_Barrier(MPI_COMM_WORLD);
  });
  CHECK(mpi_machine::first_message(outcome) == "");
}

namespace {

// The finding of three ranks of which rank 1 gives another type than the others expect.
std::string finding_of(const std::function<void(int rank, MPI_Datatype type)>& program) {
  const auto outcome = mpi_machine::run(
      {.ranks = 3}, [&](int rank) { program(rank, rank == 1 ? MPI_FLOAT : MPI_INT); });
  return mpi_machine::first_message(outcome);
}

constexpr std::array ones{1, 1, 1};
constexpr std::array places{0, 1, 2};
constexpr std::array offsets{0, 4, 8};

}  // namespace

TEST_CASE("blocks of another type signature are found in collectives with counts for each rank") {
  const std::string another = "another type signature";
  CHECK_THAT(
      finding_of([](int rank, MPI_Datatype type) {
        std::array<int, 3> all{};
        MPI_Gatherv(&rank, 1, type, all.data(), ones.data(), places.data(), MPI_INT, 0,
                    MPI_COMM_WORLD);
      }),
      Catch::Contains("MPI_Gatherv: rank 1 of MPI_COMM_WORLD sends 4 bytes with " + another));
  CHECK_THAT(
      finding_of([](int, MPI_Datatype type) {
        std::array<int, 3> all{};
        int part = 0;
        MPI_Scatterv(all.data(), ones.data(), places.data(), MPI_INT, &part, 1, type, 0,
                     MPI_COMM_WORLD);
      }),
      Catch::Contains("MPI_Scatterv: rank 0 of MPI_COMM_WORLD sends 4 bytes with " + another));
  CHECK_THAT(finding_of([](int rank, MPI_Datatype type) {
               std::array<int, 3> in{};
               std::array<int, 3> out{};
               const MPI_Datatype sent = rank == 1 ? type : MPI_INT;
               MPI_Datatype got = MPI_INT;
               if (rank == 1) got = MPI_FLOAT;
               MPI_Alltoallv(in.data(), ones.data(), places.data(), sent, out.data(), ones.data(),
                             places.data(), got, MPI_COMM_WORLD);
             }),
             Catch::Contains(another));
  CHECK_THAT(finding_of([](int, MPI_Datatype type) {
               std::array<int, 3> in{};
               std::array<int, 3> out{};
               const std::array types{type, type, type};
               MPI_Alltoallw(in.data(), ones.data(), offsets.data(), types.data(), out.data(),
                             ones.data(), offsets.data(), types.data(), MPI_COMM_WORLD);
             }),
             Catch::Contains(another));
}
