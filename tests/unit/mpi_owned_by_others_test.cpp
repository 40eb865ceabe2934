// Buffers of non-blocking collective and of one-sided operations, and objects that are not the
// program's yet.
#include <array>
#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "mpi_machine.hpp"

namespace {

/// The class of the first finding of a run of two ranks; empty: none.
std::string found(const std::function<void(int)>& program) {
  const orrery::Outcome outcome = mpi_machine::run({.ranks = 2}, program);
  if (outcome.findings.empty()) return {};
  CHECK(outcome.findings.size() == 1);
  return outcome.findings.front().class_name;
}

using Numbers = std::array<int, 8>;

/// Starts an operation on two buffers.
using Start = std::function<void(const Numbers& mine, Numbers& got, MPI_Request* request)>;

std::string with_change(const Start& start, bool changes) {
  return found([&](int) {
    Numbers mine{1, 2, 3, 4, 5, 6, 7, 8};
    Numbers got{};
    MPI_Request request = MPI_REQUEST_NULL;
    start(mine, got, &request);
    if (changes) mine[1] = 99;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    mine[1] = 99;
    got[0] = 99;
  });
}

/// A window over `mine` of each rank, and an epoch around what rank 0 does.
std::string in_epoch(const std::function<void(MPI_Win, Numbers& own)>& work) {
  return found([&](int rank) {
    Numbers mine{};
    Numbers own{};
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(mine.data(), sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) work(window, own);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
  });
}

}  // namespace

TEST_CASE("what a non-blocking collective operation sends is left alone until it is complete") {
  const Start sum = [](const Numbers& mine, Numbers& got, MPI_Request* request) {
    MPI_Iallreduce(mine.data(), got.data(), 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, request);
  };
  const Start exchange = [](const Numbers& mine, Numbers& got, MPI_Request* request) {
    MPI_Ialltoall(mine.data(), 4, MPI_INT, got.data(), 4, MPI_INT, MPI_COMM_WORLD, request);
  };
  for (const Start& start : {sum, exchange}) {
    CHECK(with_change(start, true) == "buffer in use");
    CHECK(with_change(start, false).empty());
  }
}

TEST_CASE("two collective operations under way do not fill the same memory") {
  const auto run = [](std::size_t place) {
    return found([=](int) {
      Numbers got{};
      std::array<MPI_Request, 2> requests{};
      MPI_Ibcast(got.data(), 4, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Ibcast(&got.at(place), 4, MPI_INT, 0, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    });
  };
  CHECK(run(3) == "overlapping buffers");
  CHECK(run(4).empty());
}

TEST_CASE("a blocking collective operation does not use what another operation owns") {
  const auto run = [](int place) {
    return found([=](int rank) {
      Numbers got{};
      Numbers all{};
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(got.data(), 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
      MPI_Allreduce(got.data() + place, all.data(), 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Send(all.data(), 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
  };
  CHECK(run(0) == "buffer in use");
  CHECK(run(4).empty());
}

TEST_CASE("an epoch owns the buffers of its operations") {
  const auto put = [](MPI_Win window, Numbers& own) {
    MPI_Put(own.data(), 2, MPI_INT, 1, 0, 2, MPI_INT, window);
  };
  CHECK(in_epoch(put).empty());
  CHECK(in_epoch([&](MPI_Win window, Numbers& own) {
          put(window, own);
          own[1] = 5;
        }) == "buffer in use");
  const auto get = [](MPI_Win window, int* to) {
    MPI_Get(to, 2, MPI_INT, 1, 0, 2, MPI_INT, window);
  };
  CHECK(in_epoch([&](MPI_Win window, Numbers& own) {
          get(window, own.data());
          get(window, own.data() + 2);
        }).empty());
  CHECK(in_epoch([&](MPI_Win window, Numbers& own) {
          get(window, own.data());
          get(window, own.data() + 1);
        }) == "overlapping buffers");
}

TEST_CASE("after a local flush the origin's buffers are the program's again") {
  const auto run = [](bool flushes) {
    return found([=](int rank) {
      Numbers mine{};
      Numbers own{};
      MPI_Win window = MPI_WIN_NULL;
      MPI_Win_create(mine.data(), sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
      if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(own.data(), 2, MPI_INT, 1, 0, 2, MPI_INT, window);
        if (flushes) MPI_Win_flush_local(1, window);
        own[0] = 4;
        MPI_Win_unlock(1, window);
      }
      MPI_Win_free(&window);
    });
  };
  CHECK(run(false) == "buffer in use");
  CHECK(run(true).empty());
}

TEST_CASE("a communicator that is still being made is no leak beside its request") {
  CHECK(found([](int) {
          MPI_Comm copy = MPI_COMM_NULL;
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
        }) == "missing wait");
  CHECK(found([](int) {
          MPI_Comm copy = MPI_COMM_NULL;
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
          MPI_Wait(&request, MPI_STATUS_IGNORE);
        }) == "leak");
}
