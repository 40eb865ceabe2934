// Section 3.9 and what may happen to a request: persistent ones, looks, cancelling, freeing.
#include <array>
#include <vector>

#include "mpi_fake_runtime.hpp"
#include "mpi_machine.hpp"

namespace {

using mpi_machine::first_message;

bool is_empty(const MPI_Status& status) {
  int count = -1;
  int cancelled = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Test_cancelled(&status, &cancelled);
  return status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0 &&
         cancelled == 0;
}

// What one rank's call gives with MPI_ERRORS_RETURN.
int code_of(const std::function<int()>& call) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = call();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return code;
}

// A ring in which each rank sends `round` in the given mode, 10 times by one request.
void persistent_ring(int rank, int size, int mode) {
  int out = -1;
  int in = -1;
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const int next = (rank + 1) % size;
  const int last = (rank + size - 1) % size;
  MPI_Recv_init(&in, 1, MPI_INT, last, 3, MPI_COMM_WORLD, &requests[0]);
  switch (mode) {
    case 0: MPI_Send_init(&out, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]); break;
    case 1: MPI_Bsend_init(&out, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]); break;
    case 2: MPI_Ssend_init(&out, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]); break;
    default: MPI_Rsend_init(&out, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]); break;
  }
  std::vector<char> buffer(MPI_BSEND_OVERHEAD + sizeof(int));
  if (mode == 1) MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  for (int round = 0; round < 10; ++round) {
    out = 100 * round + rank;
    MPI_Start(&requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs its receive
    MPI_Startall(1, &requests[1]);
    std::array<MPI_Status, 2> statuses{};
    MPI_Waitall(2, requests.data(), statuses.data());
    orrery::check(in == 100 * round + last);
    orrery::check(statuses[0].MPI_SOURCE == last);
    orrery::check(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (mode == 1) {
    void* detached = nullptr;
    int detached_size = 0;
    MPI_Buffer_detach(&detached, &detached_size);
    orrery::check(detached == buffer.data());
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  orrery::check(requests[0] == MPI_REQUEST_NULL);
}

}  // namespace

TEST_CASE("persistent requests of every mode go round and round") {
  for (int mode = 0; mode < 4; ++mode)
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      INFO("mode " << mode << ", seed " << seed);
      const std::uint64_t eager_bytes = seed % 2 == 0 ? 65536 : 0;
      const auto outcome = mpi_machine::run({.ranks = 3, .seed = seed, .eager_bytes = eager_bytes},
                                            [&](int rank) { persistent_ring(rank, 3, mode); });
      CHECK(first_message(outcome) == "");
    }
}

TEST_CASE("inactive requests are as good as none to every Wait and Test") {
  const auto outcome = fake::run(1, [](int) {
    int value = 0;
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    const MPI_Request inactive = requests[0];
    MPI_Status status{};
    std::array<MPI_Status, 2> statuses{};
    std::array<int, 2> indices{};
    int flag = 0;
    int index = 0;
    CHECK(MPI_Wait(&requests[0], &status) == MPI_SUCCESS);
    CHECK(is_empty(status));
    CHECK(MPI_Test(&requests[0], &flag, &status) == MPI_SUCCESS);
    CHECK(flag == 1);
    CHECK(MPI_Waitany(2, requests.data(), &index, &status) == MPI_SUCCESS);
    CHECK(index == MPI_UNDEFINED);
    CHECK(MPI_Testany(2, requests.data(), &index, &flag, &status) == MPI_SUCCESS);
    CHECK((flag == 1 && index == MPI_UNDEFINED));
    CHECK(MPI_Waitall(2, requests.data(), statuses.data()) == MPI_SUCCESS);
    CHECK((is_empty(statuses[0]) && is_empty(statuses[1])));
    CHECK(MPI_Testall(2, requests.data(), &flag, statuses.data()) == MPI_SUCCESS);
    CHECK(flag == 1);
    int done = 0;
    CHECK(MPI_Waitsome(2, requests.data(), &done, indices.data(), statuses.data()) == MPI_SUCCESS);
    CHECK(done == MPI_UNDEFINED);
    CHECK(MPI_Testsome(2, requests.data(), &done, indices.data(), statuses.data()) == MPI_SUCCESS);
    CHECK(done == MPI_UNDEFINED);
    CHECK(MPI_Request_get_status(requests[0], &flag, &status) == MPI_SUCCESS);
    CHECK((flag == 1 && is_empty(status)));
    CHECK(requests[0] == inactive);
    // Beside one that is active, it is not waited for.
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    CHECK(MPI_Waitany(2, requests.data(), &index, &status) == MPI_SUCCESS);
    CHECK(index == 1);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Request_free(&requests[0]);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("a persistent request with MPI_PROC_NULL is complete as soon as it is started") {
  const auto outcome = fake::run(1, [](int) {
    int value = 7;
    std::array<MPI_Request, 2> requests{};
    MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 3; ++round) {
      CHECK(MPI_Startall(2, requests.data()) == MPI_SUCCESS);
      std::array<MPI_Status, 2> statuses{};
      CHECK(MPI_Waitall(2, requests.data(), statuses.data()) == MPI_SUCCESS);
      CHECK(statuses[1].MPI_SOURCE == MPI_PROC_NULL);
    }
    CHECK(value == 7);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  });
  CHECK(outcome.message == "");
}

TEST_CASE("only an inactive persistent request can be started") {
  const auto message = [](const std::function<void(MPI_Request*)>& program) {
    return fake::run(1,
                     [&](int) {
                       static int value = 0;
                       MPI_Request request = MPI_REQUEST_NULL;
                       MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
                       program(&request);
                     })
        .message;
  };
  CHECK_THAT(message([](MPI_Request* request) {
               MPI_Start(request);
               MPI_Start(request);
             }),
             Catch::Contains("MPI_Start: argument request is under way since it was started by "
                             "MPI_Start"));
  CHECK_THAT(message([](MPI_Request* request) {
               MPI_Request_free(request);
               MPI_Start(request);
             }),
             Catch::Contains("argument request is MPI_REQUEST_NULL"));
  CHECK_THAT(message([](MPI_Request* request) {
               const int value = 1;
               MPI_Request_free(request);
               MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, request);
               MPI_Start(request);
             }),
             Catch::Contains("argument request was made by MPI_Isend"));
  CHECK_THAT(message([](MPI_Request* request) { MPI_Cancel(request); }),
             Catch::Contains("argument request is inactive"));
  CHECK_THAT(message([](MPI_Request*) { MPI_Startall(-1, nullptr); }),
             Catch::Contains("argument count is -1"));
}

TEST_CASE("the mistakes of a persistent send are found when it is made or when it is started") {
  const auto outcome = fake::run(1, [](int) {
    const int value = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK(code_of([&] {
            return MPI_Send_init(&value, 1, MPI_INT, 9, 0, MPI_COMM_WORLD, &request);
          }) == MPI_ERR_RANK);
    CHECK(code_of([&] {
            return MPI_Ssend_init(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
          }) == MPI_ERR_COUNT);
    CHECK(code_of([&] {
            return MPI_Recv_init(nullptr, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
          }) == MPI_ERR_BUFFER);
    // No buffer is needed before the start.
    CHECK(MPI_Bsend_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(code_of([&] { return MPI_Start(&request); }) == MPI_ERR_BUFFER);
    MPI_Request_free(&request);
    MPI_Rsend_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
  });
  CHECK_THAT(outcome.message, Catch::Contains("rank 0 has posted no receive"));
}

TEST_CASE("a persistent request may be freed while it is under way") {
  const auto outcome = mpi_machine::run({.ranks = 2}, [](int rank) {
    int value = rank + 5;
    int got = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0)
      MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
      MPI_Recv_init(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&request);
    MPI_Request_free(&request);
    orrery::check(request == MPI_REQUEST_NULL);
    // Its data still come.
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    while (MPI_Wtime() < start + 1e-3) {
    }
    MPI_Barrier(MPI_COMM_SELF);
    if (rank == 1) orrery::check(got == 5);
  });
  CHECK(first_message(outcome) == "");
}

TEST_CASE("MPI_Request_get_status says what is complete and leaves the request") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto outcome =
        mpi_machine::run({.ranks = 2, .seed = seed, .eager_bytes = 65536}, [](int rank) {
          int value = 42;
          MPI_Request request = MPI_REQUEST_NULL;
          if (rank == 0) {
            MPI_Isend(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            return;
          }
          value = 0;
          MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
          int flag = 0;
          MPI_Status status{};
          while (flag == 0) MPI_Request_get_status(request, &flag, &status);
          // The operation is complete, so its data are there.
          orrery::check(value == 42 && status.MPI_SOURCE == 0 && status.MPI_TAG == 8);
          orrery::check(request != MPI_REQUEST_NULL);
          flag = 0;
          MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
          orrery::check(flag == 1);
          status = {};
          MPI_Wait(&request, &status);
          int count = 0;
          MPI_Get_count(&status, MPI_INT, &count);
          orrery::check(status.MPI_SOURCE == 0 && status.MPI_TAG == 8 && count == 1);
          orrery::check(request == MPI_REQUEST_NULL);
        });
    CHECK(first_message(outcome) == "");
  }
}

TEST_CASE("a receive, a send and a persistent one are cancelled, or are too late to be") {
  const auto outcome = mpi_machine::run({.ranks = 2, .eager_bytes = 0}, [](int rank) {
    int value = rank;
    int flag = 0;
    MPI_Status status{};
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
      MPI_Irecv(&value, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &flag);
      orrery::check(flag == 1 && request == MPI_REQUEST_NULL);
      // Nobody receives it.
      MPI_Issend(&value, 1, MPI_INT, 1, 78, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &flag);
      orrery::check(flag == 1);
      MPI_Recv_init(&value, 1, MPI_INT, 1, 79, MPI_COMM_WORLD, &request);
      for (int round = 0; round < 2; ++round) {
        MPI_Start(&request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        orrery::check(flag == 1 && request != MPI_REQUEST_NULL);
      }
      MPI_Start(&request);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &flag);
      orrery::check(flag == 0 && value == 1);
      MPI_Request_free(&request);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Send(&value, 1, MPI_INT, 0, 79, MPI_COMM_WORLD);
    }
  });
  CHECK(first_message(outcome) == "");
}

TEST_CASE("MPI_Buffer_detach waits until the messages of the buffer are received") {
  double received_at = 0;
  double detached_at = 0;
  const auto outcome = mpi_machine::run({.ranks = 2}, [&](int rank) {
    std::vector<char> buffer(4096);
    int value = 9;
    if (rank == 0) {
      MPI_Buffer_attach(buffer.data(), 4096);
      for (int round = 0; round < 3; ++round)
        MPI_Bsend(&value, 1, MPI_INT, 1, round, MPI_COMM_WORLD);
      void* detached = nullptr;
      int size = 0;
      MPI_Buffer_detach(&detached, &size);
      detached_at = MPI_Wtime();
      orrery::check(detached == buffer.data() && size == 4096);
    } else {
      const double start = MPI_Wtime();
      while (MPI_Wtime() < start + 1e-3) {
      }
      for (int round = 2; round >= 0; --round)
        MPI_Recv(&value, 1, MPI_INT, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      received_at = MPI_Wtime();
    }
  });
  CHECK(first_message(outcome) == "");
  CHECK(detached_at >= 1e-3);
  CHECK(detached_at >= received_at - 1e-4);
}
