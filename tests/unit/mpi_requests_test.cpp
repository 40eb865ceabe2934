#include <array>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

namespace {

// Ranks 1 and up send their number to rank 0, which runs `collect` with a receive from each.
fake::Outcome gather_with(fake::Runtime& runtime, int ranks,
                          const std::function<void(std::vector<MPI_Request>&)>& collect) {
  return fake::run(runtime, ranks, [&](int rank) {
    if (rank != 0) {
      MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      return;
    }
    std::vector<int> got(static_cast<std::size_t>(ranks), -1);
    std::vector<MPI_Request> requests;
    for (int peer = 1; peer < ranks; ++peer) {
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Irecv(&got[static_cast<std::size_t>(peer)], 1, MPI_INT, peer, 0, MPI_COMM_WORLD,
                &requests.back());
    }
    collect(requests);
    for (int peer = 1; peer < ranks; ++peer) CHECK(got[static_cast<std::size_t>(peer)] == peer);
  });
}

int count_of(const std::vector<MPI_Request>& requests) {
  return static_cast<int>(requests.size());
}

}  // namespace

TEST_CASE("Waitall ends all requests and fills in their statuses") {
  fake::Runtime runtime;
  const auto outcome = gather_with(runtime, 4, [](std::vector<MPI_Request>& requests) {
    std::vector<MPI_Status> statuses(requests.size());
    CHECK(MPI_Waitall(count_of(requests), requests.data(), statuses.data()) == MPI_SUCCESS);
    for (std::size_t index = 0; index < requests.size(); ++index) {
      CHECK(requests[index] == MPI_REQUEST_NULL);
      CHECK(statuses[index].MPI_SOURCE == static_cast<int>(index) + 1);
    }
  });
  CHECK(outcome.message == "");
}

TEST_CASE("Waitany takes the request that the machine chooses") {
  fake::Runtime runtime;
  runtime.pick = [](std::size_t count) { return count - 1; };
  const auto outcome = gather_with(runtime, 4, [](std::vector<MPI_Request>& requests) {
    std::set<int> seen;
    for (std::size_t turn = 0; turn < requests.size(); ++turn) {
      int index = -1;
      MPI_Status status;
      MPI_Waitany(count_of(requests), requests.data(), &index, &status);
      CHECK(status.MPI_SOURCE == index + 1);
      seen.insert(index);
    }
    CHECK(seen.size() == requests.size());
    int index = 0;
    MPI_Waitany(count_of(requests), requests.data(), &index, MPI_STATUS_IGNORE);
    CHECK(index == MPI_UNDEFINED);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("polls end once the messages are there") {
  fake::Runtime runtime;
  const auto outcome = gather_with(runtime, 4, [](std::vector<MPI_Request>& requests) {
    int flag = 0;
    while (flag == 0) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    flag = 0;
    int index = 0;
    while (flag == 0)
      MPI_Testany(count_of(requests), requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    CHECK(index > 0);
    flag = 0;
    while (flag == 0) MPI_Testall(count_of(requests), requests.data(), &flag, MPI_STATUSES_IGNORE);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("Waitsome and Testsome end what is complete") {
  fake::Runtime runtime;
  const auto outcome = gather_with(runtime, 5, [](std::vector<MPI_Request>& requests) {
    std::vector<int> indices(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    int left = count_of(requests);
    while (left > 0) {
      int done = 0;
      MPI_Waitsome(count_of(requests), requests.data(), &done, indices.data(), statuses.data());
      REQUIRE(done > 0);
      for (int place = 0; place < done; ++place)
        CHECK(statuses[static_cast<std::size_t>(place)].MPI_SOURCE ==
              indices[static_cast<std::size_t>(place)] + 1);
      left -= done;
    }
    int done = 0;
    MPI_Testsome(count_of(requests), requests.data(), &done, indices.data(), statuses.data());
    CHECK(done == MPI_UNDEFINED);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("requests of the null process complete beside others, and which is a choice") {
  for (const std::size_t choice : {0U, 1U}) {
    fake::Runtime runtime;
    runtime.pick = [choice](std::size_t count) { return choice < count ? choice : 0; };
    const auto outcome = fake::run(runtime, 1, [choice](int) {
      int value = 1;
      int got = 0;
      std::array<MPI_Request, 2> requests{};
      MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
      MPI_Irecv(&got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &requests[1]);
      int index = -1;
      MPI_Waitany(2, requests.data(), &index, MPI_STATUS_IGNORE);
      CHECK(index == static_cast<int>(choice));
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      CHECK(got == 1);
    });
    CHECK(outcome.message == "");
  }
}

TEST_CASE("a receive that nobody matched can be cancelled, and says so") {
  const auto outcome = fake::run(1, [](int) {
    int value = 0;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled == 1);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a receive that was freed still writes its buffer") {
  const auto outcome = fake::run(2, [](int rank) {
    int value = 0;
    if (rank == 0) {
      MPI_Request request;
      MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
      CHECK(request == MPI_REQUEST_NULL);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      CHECK(value == 42);
    } else {
      value = 42;
      MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a request that is never completed is found at Finalize") {
  const auto outcome = fake::run(2, [](int rank) {
    static int value = 0;
    MPI_Request request;
    if (rank == 1) MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
  });
  REQUIRE(outcome.noted.size() == 1);
  CHECK_THAT(outcome.noted[0],
             Catch::Contains("mpi_usage/missing wait: MPI_Irecv: the request that is started") &&
                 Catch::Contains("receive from rank 0, tag 3"));
}

TEST_CASE("a request that is freed twice through a copy of its handle is found") {
  const auto outcome = fake::run(1, [](int) {
    int value = 0;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Request copy = request;
    MPI_Request_free(&request);
    MPI_Request_free(&copy);
  });
  CHECK(outcome.class_name == "double free");
  CHECK_THAT(outcome.message, Catch::Contains("MPI_Request_free: argument request is a request "
                                              "that was freed before, by MPI_Request_free"));
}

TEST_CASE("a request that was never started is found and not followed") {
  const auto outcome = fake::run(1, [](int) {
    MPI_Request request = reinterpret_cast<MPI_Request>(0x12345678);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  CHECK_THAT(outcome.message, Catch::Contains("argument request is no request"));
}
