#include <array>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

// Concatenation of digits: associative, and not commutative.  Holds (value, power of ten).
void concatenate(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const long*>(in);
  auto* right = static_cast<long*>(inout);
  for (int index = 0; index < 2 * *count; index += 2) {
    right[index] += left[index] * right[index + 1];
    right[index + 1] *= left[index + 1];
  }
}

// Every size and root, without any buffering, so that no algorithm leans on it.
void on_all_sizes(const std::function<void(int rank, int size, int root)>& program,
                  const std::vector<int>& sizes = {1, 2, 3, 4, 5, 8}) {
  for (const int size : sizes) {
    fake::Runtime runtime;
    runtime.eager_bytes = 0;
    const auto outcome = fake::run(runtime, size, [&](int rank) {
      for (int root = 0; root < size; ++root) program(rank, size, root);
    });
    INFO("ranks: " << size);
    CHECK(outcome.kind == "");
    CHECK(outcome.message == "");
  }
}

}  // namespace

TEST_CASE("a broadcast reaches every rank from every root") {
  on_all_sizes([](int rank, int, int root) {
    std::array<int, 3> data{};
    if (rank == root) data = {root, root + 1, root + 2};
    MPI_Bcast(data.data(), 3, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(data == std::array<int, 3>{root, root + 1, root + 2});
  });
}

TEST_CASE("reductions give sums, products and places") {
  on_all_sizes([](int rank, int size, int root) {
    const std::array<double, 2> mine{1.0 + rank, 2.0};
    std::array<double, 2> sum{};
    MPI_Reduce(mine.data(), sum.data(), 2, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    if (rank == root) CHECK(sum == std::array<double, 2>{size * (size + 1) / 2.0, 2.0 * size});
    struct {
      double value;
      int index;
    } place{rank == root ? -1.0 : rank * 1.0, rank};
    MPI_Allreduce(MPI_IN_PLACE, &place, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    CHECK(place.value == -1.0);
    CHECK(place.index == root);
    unsigned bits = 1U << static_cast<unsigned>(rank);
    MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_UNSIGNED, MPI_BOR, MPI_COMM_WORLD);
    CHECK(bits == (1U << static_cast<unsigned>(size)) - 1);
    int prefix = 0;
    MPI_Scan(&rank, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(prefix == rank * (rank + 1) / 2);
  });
}

TEST_CASE("an operation that does not commute is applied in rank order") {
  on_all_sizes([](int rank, int size, int root) {
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_LONG, &pair);
    MPI_Type_commit(&pair);
    MPI_Op operation;
    MPI_Op_create(concatenate, 0, &operation);
    const std::array<long, 2> mine{rank + 1, 10};
    std::array<long, 2> result{};
    MPI_Reduce(mine.data(), result.data(), 1, pair, operation, root, MPI_COMM_WORLD);
    if (rank == root)
      CHECK(result[0] == 12345678 / std::array<long, 9>{0, 10000000, 1000000, 100000, 10000, 1000,
                                                        100, 10,
                                                        1}[static_cast<std::size_t>(size)]);
    MPI_Op_free(&operation);
    MPI_Type_free(&pair);
    CHECK(operation == MPI_OP_NULL);
    CHECK(pair == MPI_DATATYPE_NULL);
  });
}

TEST_CASE("gather and scatter move one block a rank") {
  on_all_sizes([](int rank, int size, int root) {
    const auto ranks = static_cast<std::size_t>(size);
    const std::array<int, 2> mine{rank, -rank};
    std::vector<int> all(2 * ranks, 99);
    MPI_Gather(mine.data(), 2, MPI_INT, all.data(), 2, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root)
      for (int peer = 0; peer < size; ++peer)
        CHECK(all[2 * static_cast<std::size_t>(peer) + 1] == -peer);
    std::array<int, 2> back{};
    MPI_Scatter(all.data(), 2, MPI_INT, back.data(), 2, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(back == mine);
    std::vector<int> everywhere(2 * ranks);
    MPI_Allgather(mine.data(), 2, MPI_INT, everywhere.data(), 2, MPI_INT, MPI_COMM_WORLD);
    for (int peer = 0; peer < size; ++peer)
      CHECK(everywhere[2 * static_cast<std::size_t>(peer)] == peer);
  });
}

TEST_CASE("blocks of different sizes are gathered and scattered by counts and displacements") {
  on_all_sizes([](int rank, int size, int root) {
    const auto ranks = static_cast<std::size_t>(size);
    std::vector<int> counts(ranks);
    std::vector<int> places(ranks);
    std::iota(counts.begin(), counts.end(), 0);  // rank r has r elements
    for (std::size_t peer = 0; peer < ranks; ++peer) places[peer] = static_cast<int>(10 * peer);
    const std::vector<int> mine(static_cast<std::size_t>(rank) + 1, rank);
    std::vector<int> all(10 * ranks, -1);
    MPI_Gatherv(mine.data(), rank, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, root,
                MPI_COMM_WORLD);
    if (rank == root)
      for (std::size_t place = 0; place < all.size(); ++place)
        CHECK(all[place] == (place % 10 < place / 10 ? static_cast<int>(place / 10) : -1));
    std::vector<int> back(static_cast<std::size_t>(rank) + 1);
    MPI_Scatterv(all.data(), counts.data(), places.data(), MPI_INT, back.data(), rank, MPI_INT,
                 root, MPI_COMM_WORLD);
    for (int index = 0; index < rank; ++index) CHECK(back[static_cast<std::size_t>(index)] == rank);
    std::vector<int> everywhere(10 * ranks, -1);
    MPI_Allgatherv(mine.data(), rank, MPI_INT, everywhere.data(), counts.data(), places.data(),
                   MPI_INT, MPI_COMM_WORLD);
    for (std::size_t place = 0; place < everywhere.size(); ++place)
      CHECK(everywhere[place] == (place % 10 < place / 10 ? static_cast<int>(place / 10) : -1));
  });
}

TEST_CASE("an all-to-all transposes, in place too") {
  on_all_sizes([](int rank, int size, int) {
    const auto ranks = static_cast<std::size_t>(size);
    std::vector<int> out(ranks);
    std::vector<int> in(ranks);
    for (int peer = 0; peer < size; ++peer) out[static_cast<std::size_t>(peer)] = 100 * rank + peer;
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out.data(), 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(out == in);
    for (int peer = 0; peer < size; ++peer)
      CHECK(in[static_cast<std::size_t>(peer)] == 100 * peer + rank);
  });
}

TEST_CASE("a barrier holds everybody back until the last has come") {
  const auto program = [](int rank, int size, int root) {
    static int arrived = 0;
    if (rank == 0 && root == 0) arrived = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    ++arrived;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(arrived == (root + 1) * size);
  };
  on_all_sizes(program);
  on_all_sizes(program, {16, 17, 24, 33});  // beyond 16 by another algorithm
}

TEST_CASE("ranks that call different collectives are both named") {
  const auto outcome = fake::run(2, [](int rank) {
    int value = 0;
    int result = 0;
    if (rank == 0) MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Reduce(&value, &result, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  });
  CHECK(outcome.kind == "mpi_usage");
  CHECK_THAT(outcome.message,
             Catch::Contains("rank 1 of MPI_COMM_WORLD calls MPI_Reduce(count 1, MPI_INT, MPI_SUM, "
                             "root 0)") &&
                 Catch::Contains("rank 0 calls MPI_Bcast(count 1, MPI_INT, root 0)"));
}

TEST_CASE("collectives with other roots, operations, types or counts are found") {
  const auto mismatch = [](const std::function<void(int rank, int* in, int* out)>& program) {
    return fake::run(2,
                     [&](int rank) {
                       std::array<int, 8> in{};
                       std::array<int, 8> out{};
                       program(rank, in.data(), out.data());
                     })
        .message;
  };
  // Two roots that both only send: no message would ever tell.
  CHECK_THAT(
      mismatch([](int rank, int* in, int*) { MPI_Bcast(in, 1, MPI_INT, rank, MPI_COMM_WORLD); }),
      Catch::Contains("another root"));
  CHECK_THAT(mismatch([](int rank, int* in, int* out) {
               MPI_Allreduce(in, out, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
             }),
             Catch::Contains("another operation"));
  CHECK_THAT(mismatch([](int rank, int* in, int*) {
               MPI_Bcast(in, 2, rank == 0 ? MPI_INT : MPI_FLOAT, 0, MPI_COMM_WORLD);
             }),
             Catch::Contains("another type signature"));
  CHECK_THAT(mismatch([](int rank, int* in, int*) {
               MPI_Bcast(in, rank == 0 ? 1 : 2, MPI_INT, 0, MPI_COMM_WORLD);
             }),
             Catch::Contains("another amount of data"));
  CHECK_THAT(mismatch([](int rank, int* in, int* out) {
               const std::array<int, 2> counts{1, 1};
               const std::array<int, 2> places{0, 1};
               MPI_Gatherv(in, rank + 1, MPI_INT, out, counts.data(), places.data(), MPI_INT, 0,
                           MPI_COMM_WORLD);
             }),
             Catch::Contains("rank 1 of MPI_COMM_WORLD sends 8 bytes here, and rank 0 expects 4"));
}

TEST_CASE("a type signature does not depend on how it was built") {
  const auto outcome = fake::run(2, [](int rank) {
    std::array<int, 6> data{};
    if (rank == 0) data = {1, 2, 3, 4, 5, 6};
    MPI_Datatype three;
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&three);
    MPI_Bcast(data.data(), rank == 0 ? 6 : 2, rank == 0 ? MPI_INT : three, 0, MPI_COMM_WORLD);
    CHECK(data[5] == 6);
    MPI_Type_free(&three);
  });
  CHECK(outcome.message == "");
}
