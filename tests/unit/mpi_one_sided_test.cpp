// MPI 3.1, chapter 11, on the machine: windows, puts, gets, accumulates and epochs.
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "unit/mpi_machine.hpp"

namespace {

using mpi_machine::Settings;
using orrery::check;

// For 1 to 5 ranks, in the order of dates and in several others.
void everywhere(const std::function<void(int rank, int size)>& program) {
  for (int ranks = 1; ranks <= 5; ++ranks) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Settings settings;
      settings.ranks = ranks;
      settings.seed = seed;
      const auto outcome = mpi_machine::run(settings, [&](int rank) { program(rank, ranks); });
      INFO("ranks " << ranks << ", seed " << seed);
      CHECK(mpi_machine::first_message(outcome) == "");
      REQUIRE(outcome.is_clean());
    }
  }
}

/// A window of ints that MPI_Win_allocate has made.
struct IntWindow {
  explicit IntWindow(int count) {
    MPI_Win_allocate(count * static_cast<MPI_Aint>(sizeof(int)), sizeof(int), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &values, &win);
  }
  void free() { MPI_Win_free(&win); }
  int* values = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

}  // namespace

TEST_CASE("MPI_Put and MPI_Get between fences move data of a window that MPI_Win_create made") {
  everywhere([](int rank, int size) {
    std::vector<int> memory(static_cast<std::size_t>(size), -1);
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_create(memory.data(), size * static_cast<MPI_Aint>(sizeof(int)), sizeof(int),
                   MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    check(win != MPI_WIN_NULL);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    std::vector<int> values(static_cast<std::size_t>(size));
    std::iota(values.begin(), values.end(), 100 * rank);
    for (int target = 0; target < size; ++target)
      MPI_Put(&values[static_cast<std::size_t>(target)], 1, MPI_INT, target, rank, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int origin = 0; origin < size; ++origin) {
      check(memory[static_cast<std::size_t>(origin)] == 100 * origin + rank);
    }
    std::vector<int> copy(static_cast<std::size_t>(size));
    const int next = (rank + 1) % size;
    MPI_Get(copy.data(), size, MPI_INT, next, 0, size, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, win);
    for (int origin = 0; origin < size; ++origin) {
      check(copy[static_cast<std::size_t>(origin)] == 100 * origin + next);
    }
    MPI_Win_free(&win);
    check(win == MPI_WIN_NULL);
  });
}

TEST_CASE("MPI_Win_allocate gives zeroed memory, which goes with MPI_Win_free") {
  everywhere([](int rank, int) {
    for (int round = 0; round < 3; ++round) {
      IntWindow window(1000);
      check(std::accumulate(window.values, window.values + 1000, 0) == 0);
      window.values[rank] = 1;
      window.free();
    }
  });
}

TEST_CASE("derived types lay data out at both ends of puts, gets and accumulates") {
  everywhere([](int rank, int size) {
    IntWindow window(12);
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    const int target = (rank + 1) % size;
    const std::array<int, 3> row = {1, 2, 3};
    MPI_Win_fence(0, window.win);
    MPI_Put(row.data(), 3, MPI_INT, target, 1, 1, column, window.win);
    MPI_Win_fence(0, window.win);
    check(window.values[1] == 1 && window.values[5] == 2 && window.values[9] == 3);
    check(window.values[2] == 0 && window.values[4] == 0);
    MPI_Win_fence(0, window.win);  // all have looked
    MPI_Accumulate(row.data(), 3, MPI_INT, target, 1, 1, column, MPI_SUM, window.win);
    MPI_Win_fence(0, window.win);
    check(window.values[1] == 2 && window.values[5] == 4 && window.values[9] == 6);
    std::array<int, 12> copy{};
    MPI_Get(copy.data(), 1, column, target, 1, 1, column, window.win);
    MPI_Type_free(&column);  // legal while it is in use
    MPI_Win_fence(0, window.win);
    check(copy[0] == 2 && copy[4] == 4 && copy[8] == 6 && copy[1] == 0);
    window.free();
  });
}

TEST_CASE("MPI_Accumulate knows the predefined operations") {
  const auto result = [](auto first, auto second, MPI_Datatype type, MPI_Op op) {
    decltype(first) value = first;
    const auto outcome = mpi_machine::run({1, 0}, [&](int) {
      MPI_Win win = MPI_WIN_NULL;
      MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Accumulate(&second, 1, type, 0, 0, 1, type, op, win);
      MPI_Win_unlock(0, win);
      MPI_Win_free(&win);
    });
    CHECK(mpi_machine::first_message(outcome) == "");
    return value;
  };
  CHECK(result(5, 7, MPI_INT, MPI_SUM) == 12);
  CHECK(result(5, 7, MPI_INT, MPI_PROD) == 35);
  CHECK(result(5, 7, MPI_INT, MPI_MAX) == 7);
  CHECK(result(5, 7, MPI_INT, MPI_MIN) == 5);
  CHECK(result(5, 6, MPI_INT, MPI_BAND) == 4);
  CHECK(result(5, 6, MPI_INT, MPI_BOR) == 7);
  CHECK(result(5, 6, MPI_INT, MPI_BXOR) == 3);
  CHECK(result(5, 0, MPI_INT, MPI_LAND) == 0);
  CHECK(result(5, 0, MPI_INT, MPI_LOR) == 1);
  CHECK(result(5, 6, MPI_INT, MPI_LXOR) == 0);
  CHECK(result(5, 6, MPI_INT, MPI_REPLACE) == 6);
  CHECK(result(1.5, 2.5, MPI_DOUBLE, MPI_SUM) == 4.0);
  struct Pair {
    double value;
    int index;
  };
  CHECK(result(Pair{1, 1}, Pair{2, 5}, MPI_DOUBLE_INT, MPI_MAXLOC).index == 5);
  CHECK(result(Pair{1, 1}, Pair{2, 5}, MPI_DOUBLE_INT, MPI_MINLOC).index == 1);
}

template <typename Value>
struct Located {
  Value value;
  int index;
};

// Types made of pairs, with gaps within a pair, between pairs, and none.
template <typename Value>
void accumulate_columns_of(MPI_Datatype pair) {
  everywhere([&](int rank, int size) {
    std::array<Located<Value>, 9> memory{};
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_create(memory.data(), sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 2, 3, pair, &column);
    MPI_Type_commit(&column);
    const auto mine = static_cast<Value>(rank + 1);
    std::array<Located<Value>, 9> data{};
    for (int i = 0; i < 9; ++i)
      data[static_cast<std::size_t>(i)] = {i == 4 ? static_cast<Value>(-1) : mine, rank + 10};
    MPI_Win_fence(0, win);
    for (int target = 0; target < size; ++target)
      MPI_Accumulate(data.data(), 1, column, target, 0, 1, column, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 9; ++i) {
      const bool is_won = i % 3 < 2 && i != 4;
      const Located<Value>& found = memory[static_cast<std::size_t>(i)];
      check(found.value == (is_won ? static_cast<Value>(size) : static_cast<Value>(0)));
      check(found.index == (is_won ? size + 9 : 0));
    }
    MPI_Type_free(&column);
    MPI_Win_free(&win);
  });
}

TEST_CASE("MPI_Accumulate finds the places of maxima in types that are made of pairs") {
  accumulate_columns_of<int>(MPI_2INT);
  accumulate_columns_of<short>(MPI_SHORT_INT);
  accumulate_columns_of<double>(MPI_DOUBLE_INT);
  accumulate_columns_of<long double>(MPI_LONG_DOUBLE_INT);
}

TEST_CASE("MPI_Get_accumulate, MPI_Fetch_and_op and MPI_Compare_and_swap give what was there") {
  everywhere([](int rank, int size) {
    IntWindow window(2);
    MPI_Win_lock_all(0, window.win);
    // Tickets: everybody gets another one.
    const int one = 1;
    int ticket = -1;
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, window.win);
    MPI_Win_flush(0, window.win);
    check(ticket >= 0 && ticket < size);
    // In the order of the tickets, each adds its own to what it finds.
    int seen = -1;
    while (seen != ticket) {
      MPI_Compare_and_swap(&ticket, &ticket, &seen, MPI_INT, 0, 1, window.win);
      MPI_Win_flush(0, window.win);
    }
    int before = -1;
    MPI_Get_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM,
                       window.win);
    MPI_Win_flush(0, window.win);
    check(before == ticket);
    MPI_Win_unlock_all(window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) check(window.values[0] == size && window.values[1] == size);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
    MPI_Fetch_and_op(nullptr, &seen, MPI_INT, 0, 1, MPI_NO_OP, window.win);
    MPI_Win_flush_local(0, window.win);
    check(seen == size);
    MPI_Win_unlock(0, window.win);
    window.free();
  });
}

TEST_CASE("MPI_Rput, MPI_Rget, MPI_Raccumulate and MPI_Rget_accumulate have requests") {
  everywhere([](int rank, int size) {
    IntWindow window(4);
    const int target = (rank + 1) % size;
    const std::array<int, 2> mine = {10 + rank, 20 + rank};
    MPI_Win_lock_all(0, window.win);
    std::array<MPI_Request, 2> requests{};
    MPI_Rput(mine.data(), 1, MPI_INT, target, 0, 1, MPI_INT, window.win, &requests[0]);
    MPI_Raccumulate(mine.data() + 1, 1, MPI_INT, target, 1, 1, MPI_INT, MPI_SUM, window.win,
                    &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(window.win);
    int got = -1;
    int before = -1;
    MPI_Rget(&got, 1, MPI_INT, target, 0, 1, MPI_INT, window.win, &requests[0]);
    MPI_Rget_accumulate(&mine[0], 1, MPI_INT, &before, 1, MPI_INT, target, 1, 1, MPI_INT,
                        MPI_REPLACE, window.win, &requests[1]);
    if (rank % 2 == 0) MPI_Win_flush_local_all(window.win);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    int flag = 0;
    while (flag == 0) MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    check(got == mine[0] && before == mine[1]);
    MPI_Win_unlock_all(window.win);
    MPI_Rput(&got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window.win, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    check(window.values[0] == 10 + (rank + size - 1) % size);
    window.free();
  });
}

TEST_CASE("MPI_Win_post, MPI_Win_start, MPI_Win_complete, MPI_Win_wait and MPI_Win_test") {
  everywhere([](int rank, int size) {
    IntWindow window(size);
    MPI_Group everybody = MPI_GROUP_NULL;
    MPI_Win_get_group(window.win, &everybody);
    for (int round = 1; round <= 2; ++round) {
      MPI_Win_post(everybody, 0, window.win);
      MPI_Win_start(everybody, 0, window.win);
      for (int target = 0; target < size; ++target) {
        const int value = round * (rank + 1);
        MPI_Put(&value, 1, MPI_INT, target, rank, 1, MPI_INT, window.win);
      }
      MPI_Win_complete(window.win);
      if (round == 1) {
        MPI_Win_wait(window.win);
      } else {
        int flag = 0;
        while (flag == 0) MPI_Win_test(window.win, &flag);
      }
      for (int origin = 0; origin < size; ++origin) {
        check(window.values[origin] == round * (origin + 1));
      }
    }
    MPI_Group_free(&everybody);
    window.free();
  });
}

TEST_CASE("an exclusive lock keeps the others out, and shared ones let them in") {
  everywhere([](int rank, int size) {
    IntWindow window(1);
    for (int round = 0; round < 3; ++round) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win);
      int value = -1;
      MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window.win);
      MPI_Win_flush(0, window.win);
      ++value;
      MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window.win);
      MPI_Win_unlock(0, window.win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
    MPI_Barrier(MPI_COMM_WORLD);  // all of them have it at once
    int value = -1;
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window.win);
    MPI_Win_unlock(0, window.win);
    check(value == 3 * size);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, window.win);
    MPI_Win_unlock(rank, window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    window.free();
  });
}

TEST_CASE("MPI_Win_sync lets a rank wait for what another one writes") {
  everywhere([](int rank, int size) {
    IntWindow window(1);
    MPI_Win_lock_all(0, window.win);
    if (rank == size - 1) {
      const int one = 1;
      for (int target = 0; target < size; ++target) {
        MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_REPLACE, window.win);
      }
      MPI_Win_flush_all(window.win);
    }
    while (*static_cast<volatile int*>(window.values) == 0) MPI_Win_sync(window.win);
    MPI_Win_unlock_all(window.win);
    window.free();
  });
}

TEST_CASE("MPI_Win_create_dynamic takes memory by MPI_Win_attach, by address") {
  everywhere([](int rank, int size) {
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    std::array<int, 4> memory{};
    MPI_Win_attach(win, memory.data(), sizeof memory);
    MPI_Aint address = 0;
    MPI_Get_address(memory.data(), &address);
    std::vector<MPI_Aint> addresses(static_cast<std::size_t>(size));
    MPI_Allgather(&address, 1, MPI_AINT, addresses.data(), 1, MPI_AINT, MPI_COMM_WORLD);
    const int target = (rank + 1) % size;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Put(&rank, 1, MPI_INT, target,
            MPI_Aint_add(addresses[static_cast<std::size_t>(target)], 2 * sizeof(int)), 1, MPI_INT,
            win);
    MPI_Win_unlock(target, win);
    MPI_Barrier(MPI_COMM_WORLD);
    check(memory[2] == (rank + size - 1) % size);
    MPI_Win_detach(win, memory.data());
    MPI_Win_free(&win);
  });
}

TEST_CASE("MPI_Win_get_info gives the hints that have default values, and those that were set") {
  everywhere([](int, int) {
    IntWindow window(1);
    const auto hint = [&](const char* key) {
      MPI_Info info = MPI_INFO_NULL;
      MPI_Win_get_info(window.win, &info);
      std::array<char, 100> text{};
      int flag = 0;
      MPI_Info_get(info, key, static_cast<int>(text.size()) - 1, text.data(), &flag);
      MPI_Info_free(&info);
      return flag == 0 ? std::string("not there") : std::string(text.data());
    };
    check(hint("accumulate_ordering") == "rar,raw,war,waw");
    check(hint("accumulate_ops") == "same_op_no_op");
    check(hint("no_locks") == "not there");
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Win_set_info(window.win, info);
    MPI_Info_free(&info);
    check(hint("accumulate_ordering") == "none");
    window.free();
  });
}

TEST_CASE("accesses may go to several regions that MPI_Win_attach has attached") {
  everywhere([](int rank, int) {
    std::array<int, 6> memory{};
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_attach(win, &memory[2], 2 * sizeof(int));
    MPI_Win_attach(win, &memory[0], 2 * sizeof(int));  // touches the other one
    MPI_Win_attach(win, &memory[5], sizeof(int));
    MPI_Datatype without_one = MPI_DATATYPE_NULL;
    const std::array<int, 2> lengths = {4, 1};
    const std::array<int, 2> places = {0, 5};
    MPI_Type_indexed(2, lengths.data(), places.data(), MPI_INT, &without_one);
    MPI_Type_commit(&without_one);
    MPI_Aint address = 0;
    MPI_Get_address(memory.data(), &address);
    const std::array<int, 5> data = {rank, rank + 1, rank + 2, rank + 3, rank + 4};
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Put(data.data(), 5, MPI_INT, 0, address, 1, without_one, win);
    MPI_Win_unlock(0, win);
    check(memory[1] == rank + 1 && memory[2] == rank + 2 && memory[4] == 0);
    check(memory[5] == rank + 4);
    MPI_Type_free(&without_one);
    MPI_Win_free(&win);
  });
}

TEST_CASE("MPI_Win_allocate_shared gives one run of memory, which MPI_Win_shared_query finds") {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    Settings settings;
    settings.ranks = ranks;
    settings.hosts = 1;
    const auto outcome = mpi_machine::run(settings, [&](int rank) {
      int* mine = nullptr;
      MPI_Win win = MPI_WIN_NULL;
      const MPI_Aint bytes = (rank + 1) * static_cast<MPI_Aint>(sizeof(int));
      MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
      MPI_Win_fence(0, win);
      for (int i = 0; i <= rank; ++i) mine[i] = rank;
      MPI_Win_fence(0, win);
      int* first = nullptr;
      MPI_Aint size = 0;
      int unit = 0;
      MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &first);
      check(size == sizeof(int) && unit == sizeof(int));
      int index = 0;
      for (int other = 0; other < ranks; ++other) {
        int* theirs = nullptr;
        MPI_Win_shared_query(win, other, &size, &unit, &theirs);
        check(theirs == first + index);
        check(size == (other + 1) * static_cast<MPI_Aint>(sizeof(int)));
        for (int i = 0; i <= other; ++i) check(first[index++] == other);
      }
      MPI_Win_fence(0, win);
      MPI_Win_free(&win);
    });
    CHECK(mpi_machine::first_message(outcome) == "");
    CHECK(outcome.is_clean());
  }
}

TEST_CASE("MPI_Win_set_info and MPI_Win_get_info keep the hints that the standard knows") {
  const auto outcome = mpi_machine::run({2, 0}, [](int) {
    IntWindow window(1);
    MPI_Win_set_info(window.win, MPI_INFO_NULL);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Win_get_info(window.win, &info);
    check(info != MPI_INFO_NULL);
    MPI_Info_free(&info);
    window.free();
  });
  CHECK(mpi_machine::first_message(outcome) == "");
}
