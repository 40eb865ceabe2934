// Memory of a program in one-sided communication: buffers at the origin, which an operation owns
// (MPI 3.1, section 11.3), and stores of the target's own (section 11.7).
#include <array>
#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "unit/mpi_machine.hpp"

namespace {

using Program = std::function<void(int rank, int* memory, MPI_Win win)>;

std::string found(const Program& program, std::uint64_t seed = 0) {
  const auto outcome = mpi_machine::run({2, seed}, [&](int rank) {
    int* memory = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    program(rank, memory, win);
    MPI_Win_free(&win);
  });
  return mpi_machine::first_message(outcome);
}

// Is it found in some order of events, and is its twin clean in all of them?
void differ(const Program& wrong, const Program& right, const std::string& message) {
  int times = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const std::string first = found(wrong, seed);
    if (!first.empty()) {
      CHECK_THAT(first, Catch::Contains(message));
      ++times;
    }
    CHECK(found(right, seed) == "");
  }
  CHECK(times > 0);
}

void put(const int& value, MPI_Win win) {
  MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
}

}  // namespace

TEST_CASE("what a put sends is not changed before the put is complete at its origin") {
  differ(
      [](int rank, int*, MPI_Win win) {
        MPI_Win_fence(0, win);
        int value = 1;
        if (rank == 0) put(value, win);
        value = 2;
        MPI_Win_fence(0, win);
      },
      [](int rank, int*, MPI_Win win) {
        MPI_Win_fence(0, win);
        int value = 1;
        if (rank == 0) put(value, win);
        MPI_Win_fence(0, win);
        value = 2;
      },
      "the buffer of the MPI_Put that was started at the other line has been changed");
  differ(
      [](int rank, int*, MPI_Win win) {
        MPI_Win_lock_all(0, win);
        int value = 1;
        if (rank == 0) put(value, win);
        value = 2;
        MPI_Win_flush_local(1, win);
        MPI_Win_unlock_all(win);
      },
      [](int rank, int*, MPI_Win win) {
        MPI_Win_lock_all(0, win);
        int value = 1;
        if (rank == 0) put(value, win);
        MPI_Win_flush_local(1, win);
        value = 2;
        MPI_Win_unlock_all(win);
      },
      "(MPI 3.1, section 11.3)");
}

TEST_CASE("a request gives the buffers of its operation back") {
  differ(
      [](int rank, int*, MPI_Win win) {
        MPI_Win_lock_all(0, win);
        int value = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 0) MPI_Rget(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
        value = 2;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_unlock_all(win);
      },
      [](int rank, int*, MPI_Win win) {
        MPI_Win_lock_all(0, win);
        int value = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank == 0) MPI_Rget(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        value = 2;
        MPI_Win_unlock_all(win);
      },
      "the buffer of the MPI_Rget");
}

TEST_CASE("results of two operations under way do not go to one place, nor to other calls") {
  differ(
      [](int rank, int*, MPI_Win win) {
        std::array<int, 2> values{};
        MPI_Win_fence(0, win);
        if (rank == 0) MPI_Get(values.data(), 2, MPI_INT, 1, 0, 2, MPI_INT, win);
        if (rank == 0) MPI_Get(&values[1], 1, MPI_INT, 1, 2, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
      },
      [](int rank, int*, MPI_Win win) {
        std::array<int, 3> values{};
        MPI_Win_fence(0, win);
        if (rank == 0) MPI_Get(values.data(), 2, MPI_INT, 1, 0, 2, MPI_INT, win);
        if (rank == 0) MPI_Get(&values[2], 1, MPI_INT, 1, 2, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
      },
      "belongs to the MPI_Get of the other line");
  differ(
      [](int rank, int*, MPI_Win win) {
        int value = 0;
        MPI_Win_fence(0, win);
        if (rank == 0) {
          MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
          MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
          MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Win_fence(0, win);
      },
      [](int rank, int*, MPI_Win win) {
        int value = 0;
        MPI_Win_fence(0, win);
        if (rank == 0) MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      },
      "it reads from memory that belongs to the MPI_Get");
}

TEST_CASE("a message is not received where another rank puts in the same epoch") {
  const auto exchange = [](int rank, int* memory, MPI_Win win, int place) {
    const int value = 1;
    MPI_Win_fence(0, win);
    if (rank == 0) {
      put(value, win);
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(memory + place, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_fence(0, win);
  };
  differ(
      [&](int rank, int* memory, MPI_Win win) { exchange(rank, memory, win, 0); },
      [&](int rank, int* memory, MPI_Win win) { exchange(rank, memory, win, 1); },
      "it writes to bytes 0 to 4 of rank 1's own part of a window of MPI_COMM_WORLD, and so does "
      "MPI_Put of rank 0");
}

TEST_CASE("a broadcast or a reduction does not end where an accumulate is under way") {
  const auto reduce = [](int rank, int* memory, MPI_Win win, int place) {
    const int value = 1;
    MPI_Win_lock_all(0, win);
    if (rank == 0) MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
    int other = 0;
    MPI_Allreduce(&value, rank == 0 ? &other : memory + place, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
  };
  differ([&](int rank, int* memory, MPI_Win win) { reduce(rank, memory, win, 0); },
         [&](int rank, int* memory, MPI_Win win) { reduce(rank, memory, win, 3); },
         "MPI_Allreduce: it writes to bytes 0 to 4");
  const auto broadcast = [](int rank, int* memory, MPI_Win win, bool flush) {
    int value = 1;
    MPI_Win_lock_all(0, win);
    if (rank == 0) MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
    if (flush) MPI_Win_flush_all(win);
    MPI_Bcast(rank == 0 ? &value : memory, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
  };
  CHECK(found([&](int rank, int* memory, MPI_Win win) { broadcast(rank, memory, win, true); }) ==
        "");
}

TEST_CASE("reading where another rank puts is valid, and so is writing where it reads") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    CHECK(found(
              [](int rank, int* memory, MPI_Win win) {
                int value = 1;
                MPI_Win_fence(0, win);
                if (rank == 0) put(value, win);
                if (rank == 1) MPI_Send(memory, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
                int other = 0;
                if (rank == 0) MPI_Get(&other, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
                if (rank == 0)
                  MPI_Recv(memory, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
                if (rank == 1)
                  MPI_Recv(memory + 1, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Win_fence(0, win);
              },
              seed) == "");
  }
}

TEST_CASE("MPI_Reduce_scatter writes a rank's own part only, beside which others may put") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    CHECK(found(
              [](int rank, int* memory, MPI_Win win) {
                const std::array<int, 2> mine{1, 2}, counts{1, 1};
                const int value = 7;
                MPI_Win_fence(0, win);
                if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
                MPI_Reduce_scatter(mine.data(), memory, counts.data(), MPI_INT, MPI_SUM,
                                   MPI_COMM_WORLD);
                MPI_Win_fence(0, win);
              },
              seed) == "");
  }
}
