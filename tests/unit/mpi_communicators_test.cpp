#include <string>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

TEST_CASE("messages of a duplicate never meet those of the original") {
  const auto outcome = fake::run(2, [](int rank) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    int value = rank == 0 ? 1 : 0;
    if (rank == 0) {
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      value = 2;
      MPI_Send(&value, 1, MPI_INT, 1, 0, copy);
    } else {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
      CHECK(value == 2);
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(value == 1);
    }
    int result = -1;
    MPI_Comm_compare(copy, MPI_COMM_WORLD, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_free(&copy);
    CHECK(copy == MPI_COMM_NULL);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a split orders ranks by key and translates them both ways") {
  const auto outcome = fake::run(6, [](int rank) {
    MPI_Comm part;
    // Even and odd ranks, in reverse order.
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    int part_rank = -1;
    int part_size = -1;
    MPI_Comm_rank(part, &part_rank);
    MPI_Comm_size(part, &part_size);
    CHECK(part_size == 3);
    CHECK(part_rank == 2 - rank / 2);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    CHECK(sum == (rank % 2 == 0 ? 6 : 9));
    // To the next rank of the part; the status must name ranks of the part too.
    MPI_Status status;
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (part_rank + 1) % 3, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0,
                 part, &status);
    CHECK(status.MPI_SOURCE == (part_rank + 2) % 3);
    CHECK(got % 2 == rank % 2);
    MPI_Comm_free(&part);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("ranks of no color get no communicator, and parts can be split on") {
  const auto outcome = fake::run(5, [](int rank) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 4 ? MPI_UNDEFINED : rank / 2, 0, &part);
    if (rank == 4) {
      CHECK(part == MPI_COMM_NULL);
    } else {
      MPI_Comm again;
      MPI_Comm_dup(part, &again);
      MPI_Comm single;
      MPI_Comm_split(again, rank, 0, &single);
      int size = 0;
      MPI_Comm_size(single, &size);
      CHECK(size == 1);
      MPI_Barrier(again);
      MPI_Barrier(single);
    }
    // A communicator of all again: its context must be new to everybody.
    MPI_Comm all;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    int sum = 0;
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK(sum == 5);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a freed communicator is not used again") {
  const auto outcome = fake::run(1, [](int) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm kept = copy;
    MPI_Comm_free(&copy);
    MPI_Barrier(kept);
  });
  CHECK_THAT(outcome.message, Catch::Contains("MPI_Barrier: argument comm is a communicator that "
                                              "was freed"));
}

TEST_CASE("communicators have names and the attributes of the standard") {
  const auto outcome = fake::run(1, [](int) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK(std::string(name) == "MPI_COMM_WORLD");
    CHECK(length == 14);
    int* bound = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&bound), &flag);
    REQUIRE(flag == 1);
    CHECK(*bound >= 32767);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a key that was freed is one until the last attribute that has it is gone") {
  const auto outcome = fake::run(1, [](int) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    const int kept = key;
    int value = 5;
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
    MPI_Comm_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    int* found = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(copy, kept, static_cast<void*>(&found), &flag);
    CHECK(flag == 1);
    CHECK(found == &value);
    MPI_Comm_delete_attr(MPI_COMM_SELF, kept);
    key = kept;  // still in use: section 6.7.2
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(MPI_COMM_SELF, kept);
  });
  CHECK_THAT(outcome.message,
             Catch::Contains("MPI_Comm_delete_attr: the attribute key is 32, which is a key that "
                             "was freed"));
}
