#include <array>
#include <vector>

#include <catch2/catch.hpp>

#include "mpi_fake_runtime.hpp"

TEST_CASE("a message carries data, source, tag and count") {
  const auto outcome = fake::run(2, [](int rank) {
    std::array<double, 4> data{1, 2, 3, 4};
    if (rank == 0) {
      MPI_Send(data.data(), 3, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
      return;
    }
    std::array<double, 4> got{};
    MPI_Status status;
    CHECK(MPI_Recv(got.data(), 4, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                   &status) == MPI_SUCCESS);
    CHECK(got == std::array<double, 4>{1, 2, 3, 0});
    CHECK(status.MPI_SOURCE == 0);
    CHECK(status.MPI_TAG == 7);
    int count = 0;
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == 3);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 6);
    MPI_Get_count(&status, MPI_LONG_DOUBLE, &count);
    CHECK(count == MPI_UNDEFINED);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("head-to-head exchanges with Sendrecv end without any buffering") {
  fake::Runtime runtime;
  runtime.eager_bytes = 0;
  const auto outcome = fake::run(runtime, 3, [](int rank) {
    int value = rank;
    int got = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % 3, 0, &got, 1, MPI_INT, (rank + 2) % 3, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == (rank + 2) % 3);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % 3, 1, (rank + 2) % 3, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    CHECK(value == (rank + 2) % 3);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("head-to-head blocking sends wait for each other when nothing is buffered") {
  fake::Runtime runtime;
  runtime.eager_bytes = 0;
  const auto outcome = fake::run(runtime, 2, [](int rank) {
    int value = rank;
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CHECK(outcome.kind == "deadlock");
}

TEST_CASE("Ssend waits for its receive and Bsend does not") {
  const auto exchange = [](bool buffered) {
    fake::Runtime runtime;
    runtime.eager_bytes = 0;
    return fake::run(runtime, 2, [buffered](int rank) {
      std::vector<char> buffer(1000);
      MPI_Buffer_attach(buffer.data(), 1000);
      int value = rank;
      const auto send = buffered ? MPI_Bsend : MPI_Ssend;
      send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(value == 1 - rank);
      void* detached = nullptr;
      int size = 0;
      MPI_Buffer_detach(&detached, &size);
      CHECK(detached == buffer.data());
      CHECK(size == 1000);
    });
  };
  CHECK(exchange(true).message == "");
  CHECK(exchange(false).kind == "deadlock");
}

TEST_CASE("the null process takes and gives nothing at once") {
  const auto outcome = fake::run(1, [](int) {
    int value = 5;
    MPI_Status status;
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    CHECK(value == 5);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    CHECK(status.MPI_TAG == MPI_ANY_TAG);
    int flag = 0;
    MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag == 1);
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a probe tells what a receive will take") {
  const auto outcome = fake::run(2, [](int rank) {
    std::array<int, 3> data{4, 5, 6};
    if (rank == 0) {
      MPI_Send(data.data(), 3, MPI_INT, 1, 9, MPI_COMM_WORLD);
      return;
    }
    MPI_Status status;
    int flag = 0;
    while (flag == 0) MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(status.MPI_TAG == 9);
    MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    std::vector<int> got(static_cast<std::size_t>(count));
    MPI_Recv(got.data(), count, MPI_INT, status.MPI_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == std::vector{4, 5, 6});
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a message that does not fit is a finding, or an error code where the program asks") {
  const auto truncate = [](bool returns) {
    return fake::run(2, [returns](int rank) {
      std::array<int, 4> data{1, 2, 3, 4};
      if (rank == 0) {
        MPI_Send(data.data(), 4, MPI_INT, 1, 2, MPI_COMM_WORLD);
        return;
      }
      if (returns) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      std::array<int, 4> got{};
      const int error = MPI_Recv(got.data(), 2, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(error == MPI_ERR_TRUNCATE);
      CHECK(got == std::array<int, 4>{1, 2, 0, 0});
    });
  };
  CHECK(truncate(true).message == "");
  const auto outcome = truncate(false);
  CHECK(outcome.kind == "mpi_usage");
  CHECK(outcome.rank == 1);
  CHECK_THAT(outcome.message,
             Catch::Contains("MPI_Recv: the message from rank 0 with tag 2 has 16 bytes") &&
                 Catch::Contains("room for 8"));
}
