// Groups and communicators (MPI 3.1, sections 6.3 and 6.4): sets of ranks, and what is made of
// them.
#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

std::vector<int> world_ranks(MPI_Group group) {
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> own(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) own[static_cast<std::size_t>(rank)] = rank;
  std::vector<int> world(own.size());
  MPI_Group everyone;
  MPI_Comm_group(MPI_COMM_WORLD, &everyone);
  MPI_Group_translate_ranks(group, size, own.data(), everyone, world.data());
  MPI_Group_free(&everyone);
  return world;
}

MPI_Group group_of(std::vector<int> ranks) {
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group made;
  MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &made);
  MPI_Group_free(&world);
  return made;
}

void returning_errors(const std::function<void()>& calls) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  calls();
}

}  // namespace

TEST_CASE("sets of groups keep the order of the first and take the rest from the second") {
  const auto outcome = fake::run(6, [](int rank) {
    MPI_Group first = group_of({4, 1, 3});
    MPI_Group second = group_of({3, 0, 4, 5});
    MPI_Group result;
    MPI_Group_union(first, second, &result);
    CHECK(world_ranks(result) == std::vector<int>{4, 1, 3, 0, 5});
    MPI_Group_free(&result);
    CHECK(result == MPI_GROUP_NULL);
    MPI_Group_intersection(first, second, &result);
    CHECK(world_ranks(result) == std::vector<int>{4, 3});
    MPI_Group_difference(first, second, &result);
    CHECK(world_ranks(result) == std::vector<int>{1});
    MPI_Group_difference(first, first, &result);
    CHECK(result == MPI_GROUP_EMPTY);
    int own = 0;
    MPI_Group_rank(first, &own);
    CHECK(own == (rank == 4 ? 0 : rank == 1 ? 1 : rank == 3 ? 2 : MPI_UNDEFINED));
    MPI_Group_excl(second, 2, std::array{0, 3}.data(), &result);
    CHECK(world_ranks(result) == std::vector<int>{0, 4});
    int relation = -1;
    MPI_Group_compare(first, group_of({3, 4, 1}), &relation);
    CHECK(relation == MPI_SIMILAR);
    MPI_Group_compare(first, group_of({4, 1, 3}), &relation);
    CHECK(relation == MPI_IDENT);
    MPI_Group_compare(first, second, &relation);
    CHECK(relation == MPI_UNEQUAL);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("ranges of ranks go up and down, and leave out what they name") {
  const auto outcome = fake::run(8, [](int) {
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int ranges[2][3] = {{6, 2, -2}, {0, 1, 1}};
    MPI_Group result;
    MPI_Group_range_incl(world, 2, ranges, &result);
    CHECK(world_ranks(result) == std::vector<int>{6, 4, 2, 0, 1});
    MPI_Group_range_excl(world, 2, ranges, &result);
    CHECK(world_ranks(result) == std::vector<int>{3, 5, 7});
    std::array<int, 3> ranks{3, MPI_PROC_NULL, 5};
    std::array<int, 3> translated{};
    MPI_Group_translate_ranks(world, 3, ranks.data(), result, translated.data());
    CHECK(translated == std::array<int, 3>{0, MPI_PROC_NULL, 1});
    ranks[0] = 2;
    MPI_Group_translate_ranks(world, 1, ranks.data(), result, translated.data());
    CHECK(translated[0] == MPI_UNDEFINED);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("wrong groups and ranks of groups give the codes of the standard") {
  const auto outcome = fake::run(3, [](int) {
    returning_errors([] {
      MPI_Group world;
      MPI_Comm_group(MPI_COMM_WORLD, &world);
      MPI_Group made;
      int size = 0;
      CHECK(MPI_Group_size(MPI_GROUP_NULL, &size) == MPI_ERR_GROUP);
      CHECK(MPI_Group_incl(world, 1, std::array{3}.data(), &made) == MPI_ERR_RANK);
      CHECK(MPI_Group_incl(world, 2, std::array{1, 1}.data(), &made) == MPI_ERR_RANK);
      CHECK(MPI_Group_excl(world, -1, nullptr, &made) == MPI_ERR_COUNT);
      int still[1][3] = {{0, 2, 0}};
      CHECK(MPI_Group_range_incl(world, 1, still, &made) == MPI_ERR_ARG);
      int backwards[1][3] = {{0, 2, -1}};
      CHECK(MPI_Group_range_excl(world, 1, backwards, &made) == MPI_ERR_ARG);
      MPI_Group kept = world;
      MPI_Group_free(&world);
      CHECK(MPI_Group_size(kept, &size) == MPI_ERR_GROUP);
      MPI_Comm part;
      CHECK(MPI_Comm_create(MPI_COMM_SELF, group_of({0, 1, 2}), &part) == MPI_ERR_GROUP);
    });
  });
  CHECK(outcome.message == "");
}

TEST_CASE("communicators are made of groups, by all or by the members alone") {
  const auto outcome = fake::run(6, [](int rank) {
    MPI_Group group = group_of({5, 0, 2});
    MPI_Comm part;
    MPI_Comm_create(MPI_COMM_WORLD, group, &part);
    const bool is_member = rank == 5 || rank == 0 || rank == 2;
    CHECK((part != MPI_COMM_NULL) == is_member);
    MPI_Comm alone = MPI_COMM_NULL;
    if (is_member) {
      MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &alone);
      MPI_Group_free(&group);  // the communicators keep theirs
      int own = -1;
      MPI_Comm_rank(alone, &own);
      CHECK(own == (rank == 5 ? 0 : rank == 0 ? 1 : 2));
      // Messages of the two never meet.
      int value = rank;
      int sum = 0;
      MPI_Request request;
      int got = -1;
      MPI_Irecv(&got, 1, MPI_INT, (own + 2) % 3, 0, alone, &request);
      MPI_Send(&value, 1, MPI_INT, (own + 1) % 3, 0, part);
      MPI_Send(&value, 1, MPI_INT, (own + 1) % 3, 0, alone);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Recv(&sum, 1, MPI_INT, (own + 2) % 3, 0, part, MPI_STATUS_IGNORE);
      CHECK(got == sum);
      MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, alone);
      CHECK(sum == 7);
      int relation = -1;
      MPI_Comm_compare(alone, part, &relation);
      CHECK(relation == MPI_CONGRUENT);
      MPI_Comm_free(&part);
      MPI_Comm_free(&alone);
    }
    // Disjoint groups at once (MPI 3.1 allows it).
    MPI_Comm half;
    MPI_Comm_create(MPI_COMM_WORLD, rank % 2 == 0 ? group_of({0, 2, 4}) : group_of({5, 3, 1}),
                    &half);
    int own = -1;
    MPI_Comm_rank(half, &own);
    CHECK(own == (rank % 2 == 0 ? rank / 2 : (5 - rank) / 2));
    MPI_Comm_free(&half);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("members that give different groups to MPI_Comm_create are told so") {
  const auto outcome = fake::run(3, [](int rank) {
    MPI_Comm part;
    MPI_Comm_create(MPI_COMM_WORLD, rank == 0 ? group_of({0, 1}) : group_of({1, 2}), &part);
  });
  CHECK_THAT(outcome.message, Catch::Contains("gives another group"));
}

TEST_CASE("MPI_Comm_split_type puts ranks of one host together") {
  const auto outcome = fake::run(4, [](int rank) {
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &node);
    int own = -1;
    int size = -1;
    MPI_Comm_rank(node, &own);
    MPI_Comm_size(node, &size);
    CHECK(size == 4);
    CHECK(own == 3 - rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank < 3 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0,
                        MPI_INFO_NULL, &node);
    CHECK((node == MPI_COMM_NULL) == (rank == 3));
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a new communicator has no name, and hints go to duplicates") {
  const auto outcome = fake::run(2, [](int) {
    MPI_Comm copy;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "blue");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
    MPI_Info_free(&info);
    char name[MPI_MAX_OBJECT_NAME] = "x";
    int length = -1;
    MPI_Comm_get_name(copy, name, &length);
    CHECK(std::string(name) == "");
    CHECK(length == 0);
    MPI_Comm_set_name(copy, "the copy");
    MPI_Comm_get_name(copy, name, &length);
    CHECK(std::string(name) == "the copy");
    MPI_Comm_get_info(copy, &info);
    char value[MPI_MAX_INFO_VAL];
    int flag = 0;
    MPI_Info_get(info, "colour", MPI_MAX_INFO_VAL - 1, value, &flag);
    CHECK(flag == 1);
    CHECK(std::string(value) == "blue");
    MPI_Comm_set_info(copy, MPI_INFO_NULL);
    MPI_Info_free(&info);
    MPI_Comm_get_info(copy, &info);
    int keys = -1;
    MPI_Info_get_nkeys(info, &keys);
    CHECK(keys == 0);
    MPI_Info_free(&info);
    MPI_Comm_free(&copy);
  });
  CHECK(outcome.message == "");
}
