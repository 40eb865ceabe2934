// Communicators of two groups (MPI 3.1, section 6.6).
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

// Ranks 0 and 1 on one side, all others on the other; the leaders are 1 and the last rank.
MPI_Comm two_sides(int rank, int size, MPI_Comm* side) {
  const bool low = rank < 2;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, rank, side);
  MPI_Comm inter;
  MPI_Intercomm_create(*side, low ? 1 : size - 3, MPI_COMM_WORLD, low ? size - 1 : 1, 99, &inter);
  return inter;
}

}  // namespace

TEST_CASE("ranks of an intercommunicator's messages are those of the other group") {
  const auto outcome = fake::run(5, [](int rank) {
    MPI_Comm side;
    MPI_Comm inter = two_sides(rank, 5, &side);
    int flag = -1;
    MPI_Comm_test_inter(inter, &flag);
    CHECK(flag == 1);
    MPI_Comm_test_inter(side, &flag);
    CHECK(flag == 0);
    int size = -1;
    MPI_Comm_size(inter, &size);
    CHECK(size == (rank < 2 ? 2 : 3));
    MPI_Comm_remote_size(inter, &size);
    CHECK(size == (rank < 2 ? 3 : 2));
    MPI_Group remote;
    MPI_Comm_remote_group(inter, &remote);
    int own = 0;
    MPI_Group_rank(remote, &own);
    CHECK(own == MPI_UNDEFINED);
    MPI_Group_free(&remote);
    if (rank == 0) {
      const int value = 42;
      MPI_Send(&value, 1, MPI_INT, 2, 0, inter);
    } else if (rank == 4) {
      int value = 0;
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, inter, &status);
      CHECK(value == 42);
      CHECK(status.MPI_SOURCE == 0);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&side);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a merge puts the high group last") {
  const auto outcome = fake::run(5, [](int rank) {
    MPI_Comm side;
    MPI_Comm inter = two_sides(rank, 5, &side);
    MPI_Comm merged;
    MPI_Intercomm_merge(inter, rank < 2 ? 1 : 0, &merged);
    int own = -1;
    MPI_Comm_rank(merged, &own);
    CHECK(own == (rank < 2 ? 3 + rank : rank - 2));
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    CHECK(sum == 10);
    MPI_Comm_free(&merged);
    MPI_Intercomm_merge(inter, 0, &merged);
    MPI_Comm_rank(merged, &own);
    CHECK(own == rank);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("an intercommunicator can be duplicated, split and cut down") {
  const auto outcome = fake::run(6, [](int rank) {
    MPI_Comm side;
    MPI_Comm inter = two_sides(rank, 6, &side);
    MPI_Comm copy;
    MPI_Comm_dup(inter, &copy);
    int relation = -1;
    MPI_Comm_compare(inter, copy, &relation);
    CHECK(relation == MPI_CONGRUENT);
    // Color 0: rank 0 here, ranks 2 and 4 there; 1: rank 1 and rank 5; 2 is on one side only.
    MPI_Comm part;
    MPI_Comm_split(inter, rank == 3 ? 2 : rank % 2, 0, &part);
    CHECK((part == MPI_COMM_NULL) == (rank == 3));
    if (rank != 3) {
      int remote = -1;
      MPI_Comm_remote_size(part, &remote);
      CHECK(remote == (rank == 0 ? 2 : 1));
    }
    MPI_Group group;
    MPI_Comm_group(inter, &group);
    MPI_Group first;
    const int zero = 0;
    MPI_Group_incl(group, 1, &zero, &first);
    MPI_Comm pair;
    MPI_Comm_create(inter, first, &pair);
    CHECK((pair != MPI_COMM_NULL) == (rank == 0 || rank == 2));
    if (pair != MPI_COMM_NULL) {
      int got = -1;
      MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, pair, MPI_STATUS_IGNORE);
      CHECK(got == 2 - rank);
    }
  });
  CHECK(outcome.message == "");
}

TEST_CASE("groups with a common member make no intercommunicator") {
  const auto outcome = fake::run(2, [](int rank) {
    MPI_Comm inter;
    MPI_Intercomm_create(MPI_COMM_WORLD, rank, MPI_COMM_WORLD, 1 - rank, 0, &inter);
  });
  CHECK_THAT(outcome.message, Catch::Contains("another root") || Catch::Contains("in both groups"));
}

TEST_CASE("wrong arguments of intercommunicators give codes") {
  const auto outcome = fake::run(2, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int size = 0;
    CHECK(MPI_Comm_remote_size(MPI_COMM_WORLD, &size) == MPI_ERR_COMM);
    MPI_Group group;
    CHECK(MPI_Comm_remote_group(MPI_COMM_WORLD, &group) == MPI_ERR_COMM);
    MPI_Comm merged;
    CHECK(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &merged) == MPI_ERR_COMM);
    CHECK(MPI_Intercomm_create(MPI_COMM_WORLD, 7, MPI_COMM_WORLD, 0, 0, &merged) == MPI_ERR_ROOT);
    CHECK(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 5, 0, &merged) == MPI_ERR_RANK);
  });
  CHECK(outcome.message == "");
}
