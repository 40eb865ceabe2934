// Epochs between some of the ranks of a window, hints, and errors that a program handles itself.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "unit/mpi_machine.hpp"

namespace {

using orrery::check;

/// A window of four ints a rank, made with a hint.
struct IntWindow {
  explicit IntWindow(const char* key = nullptr, const char* value = nullptr) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    if (key != nullptr) MPI_Info_set(info, key, value);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &values, &win);
    MPI_Info_free(&info);
  }
  void free() { MPI_Win_free(&win); }
  [[nodiscard]] MPI_Group group_of(const std::vector<int>& ranks) const {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
    MPI_Group_free(&all);
    return some;
  }
  int* values = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

void in_some_orders(int ranks, const std::function<void(int rank)>& program) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto outcome = mpi_machine::run({.ranks = ranks, .seed = seed}, program);
    CAPTURE(seed);
    CHECK(mpi_machine::first_message(outcome) == "");
  }
}

std::string finding_of(int ranks, const std::function<void(int rank)>& program) {
  return mpi_machine::first_message(mpi_machine::run({.ranks = ranks}, program));
}

}  // namespace

TEST_CASE("some ranks expose their windows to some others, each group with its own") {
  // Ranks 0 and 1 write to 3; ranks 2 and 3 write to 0; rank 4 does neither.
  in_some_orders(5, [](int rank) {
    IntWindow window;
    const int mine = 10 + rank;
    const bool is_target = rank == 0 || rank == 3;
    MPI_Group origins = window.group_of(rank == 0 ? std::vector{3, 2} : std::vector{1, 0});
    MPI_Group target = window.group_of({rank < 2 ? 3 : 0});
    if (is_target) MPI_Win_post(origins, 0, window.win);
    if (rank < 4) {
      MPI_Win_start(target, 0, window.win);
      MPI_Put(&mine, 1, MPI_INT, rank < 2 ? 3 : 0, rank, 1, MPI_INT, window.win);
      MPI_Win_complete(window.win);
    }
    if (is_target) MPI_Win_wait(window.win);
    if (rank == 0) check(window.values[2] == 12 && window.values[3] == 13);
    if (rank == 3) check(window.values[0] == 10 && window.values[1] == 11);
    if (!is_target) check(window.values[rank % 4] == 0);
    MPI_Group_free(&origins);
    MPI_Group_free(&target);
    window.free();
  });
}

TEST_CASE("two targets of one epoch may be exposed at different times") {
  in_some_orders(3, [](int rank) {
    IntWindow window;
    MPI_Group group = window.group_of(rank == 0 ? std::vector{2, 1} : std::vector{0});
    if (rank == 0) {
      const std::array<int, 2> values{5, 6};
      MPI_Win_start(group, 0, window.win);
      for (const int target : {1, 2})
        MPI_Accumulate(&values[static_cast<std::size_t>(target) - 1], 1, MPI_INT, target, 0, 1,
                       MPI_INT, MPI_SUM, window.win);
      MPI_Win_complete(window.win);
    } else {
      if (rank == 2) MPI_Recv(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Win_post(group, 0, window.win);
      if (rank == 1) MPI_Send(nullptr, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
      int flag = 0;
      while (flag == 0) MPI_Win_test(window.win, &flag);
      check(window.values[0] == 4 + rank);
    }
    MPI_Group_free(&group);
    window.free();
  });
}

TEST_CASE("what a window's hints promise is held against the program") {
  CHECK_THAT(finding_of(2,
                        [](int) {
                          IntWindow window("no_locks", "true");
                          MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
                          window.free();
                        }),
             Catch::Contains("the info key no_locks says that"));
  const auto two_operations = [](const char* promise) {
    return [promise](int rank) {
      IntWindow window("accumulate_ops", promise);
      const int one = 1;
      int before = -1;
      MPI_Win_fence(0, window.win);
      if (rank == 0)
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window.win);
      else
        MPI_Fetch_and_op(nullptr, &before, MPI_INT, 0, 0, MPI_NO_OP, window.win);
      MPI_Win_fence(0, window.win);
      window.free();
    };
  };
  CHECK_THAT(finding_of(2, two_operations("same_op")), Catch::Contains("section 11.7"));
  CHECK(finding_of(2, two_operations("same_op_no_op")) == "");
}

TEST_CASE("with MPI_ERRORS_RETURN a window's errors are codes, and the window can be used on") {
  in_some_orders(2, [](int rank) {
    IntWindow window;
    MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
    const int one = 1;
    const auto put = [&](int target, MPI_Aint place) {
      return MPI_Put(&one, 1, MPI_INT, target, place, 1, MPI_INT, window.win);
    };
    check(put(1 - rank, 0) == MPI_ERR_RMA_SYNC);
    check(MPI_Win_unlock(0, window.win) == MPI_ERR_RMA_SYNC);
    check(MPI_Win_complete(window.win) == MPI_ERR_RMA_SYNC);
    check(MPI_Win_lock(77, 0, 0, window.win) == MPI_ERR_LOCKTYPE);
    check(MPI_Win_lock(MPI_LOCK_SHARED, 7, 0, window.win) == MPI_ERR_RANK);
    check(MPI_Win_fence(12345678, window.win) == MPI_ERR_ASSERT);
    MPI_Win_fence(0, window.win);
    check(put(1 - rank, 4) == MPI_ERR_RMA_RANGE);
    check(put(2, 0) == MPI_ERR_RANK);
    check(put(1 - rank, rank) == MPI_SUCCESS);
    check(MPI_Win_fence(0, window.win) == MPI_SUCCESS);
    check(window.values[1 - rank] == 1 && window.values[rank] == 0);
    window.free();
  });
}

TEST_CASE("whether MPI_Win_start waits for its targets is left open") {
  // Rank 1 says when it has exposed its window, or not yet.
  int early = 0;
  int late = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    bool is_posted = false;
    const auto outcome = mpi_machine::run({.ranks = 2, .seed = seed}, [&](int rank) {
      IntWindow window;
      MPI_Group other = window.group_of({1 - rank});
      if (rank == 0) {
        const int five = 5;
        MPI_Win_start(other, 0, window.win);
        ++(is_posted ? late : early);
        MPI_Put(&five, 1, MPI_INT, 1, 0, 1, MPI_INT, window.win);
        check(is_posted);
        MPI_Win_complete(window.win);
      } else {
        is_posted = true;
        MPI_Win_post(other, 0, window.win);
        MPI_Win_wait(window.win);
        check(window.values[0] == 5);
      }
      MPI_Group_free(&other);
      window.free();
    });
    CAPTURE(seed);
    CHECK(mpi_machine::first_message(outcome) == "");
    if (seed == 0) CHECK(early == 0);  // a run that nobody disturbs waits
  }
  CHECK(early > 0);
  CHECK(late > 0);
}

TEST_CASE("an epoch in which nothing is accessed waits for its targets at its end") {
  in_some_orders(3, [](int rank) {
    IntWindow window;
    MPI_Group others = window.group_of(rank == 0 ? std::vector{1, 2} : std::vector{0});
    for (int round = 0; round < 2; ++round) {
      if (rank == 0) {
        MPI_Win_start(others, 0, window.win);
        MPI_Win_complete(window.win);
      } else {
        MPI_Win_post(others, 0, window.win);
        MPI_Win_wait(window.win);
      }
    }
    MPI_Group_free(&others);
    window.free();
  });
}

TEST_CASE("a deadlock of locks names who has them") {
  const auto outcome = mpi_machine::run({.ranks = 3}, [](int rank) {
    IntWindow window;
    if (rank < 2) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 2) MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window.win);
    if (rank == 2) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
    for (const int target : {0, 1})
      if (rank < 2 || target == 0) MPI_Win_unlock(target, window.win);
    window.free();
  });
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings.front().kind == orrery::FindingKind::deadlock);
  const std::string message = outcome.findings.front().message;
  CHECK_THAT(message, Catch::Contains("for rank 1 to answer MPI_Win_lock, held by rank 1") &&
                          Catch::Contains("for rank 0 to answer MPI_Win_lock, held by rank 0"));
}
