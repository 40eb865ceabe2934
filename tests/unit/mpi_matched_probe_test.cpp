// Section 3.8: matched probes.
#include <array>
#include <vector>

#include "mpi_fake_runtime.hpp"
#include "mpi_machine.hpp"

namespace {

using mpi_machine::first_message;

std::string message_of(const std::function<void()>& program) {
  return fake::run(1, [&](int) { program(); }).message;
}

}  // namespace

TEST_CASE("a matched message is received by its handle, whatever else comes") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    const auto outcome =
        mpi_machine::run({.ranks = 3, .seed = seed, .eager_bytes = seed % 2 * 65536}, [](int rank) {
          if (rank != 0) {
            for (int number = 0; number < 4; ++number) {
              const std::vector<int> data(static_cast<std::size_t>(number + 1), 10 * rank + number);
              MPI_Send(data.data(), number + 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
            }
            return;
          }
          std::array<int, 3> next{};
          for (int received = 0; received < 8; ++received) {
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Status status{};
            if (received % 2 == 0) {
              MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
            } else {
              int flag = 0;
              while (flag == 0)
                MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &message, &status);
            }
            int count = 0;
            MPI_Get_count(&status, MPI_INT, &count);
            const auto source = static_cast<std::size_t>(status.MPI_SOURCE);
            orrery::check(count == next[source] + 1);
            std::vector<int> data(static_cast<std::size_t>(count));
            if (received % 3 == 0) {
              MPI_Request request = MPI_REQUEST_NULL;
              MPI_Imrecv(data.data(), count, MPI_INT, &message, &request);
              MPI_Wait(&request, &status);
            } else {
              MPI_Mrecv(data.data(), count, MPI_INT, &message, &status);
            }
            orrery::check(message == MPI_MESSAGE_NULL);
            orrery::check(status.MPI_SOURCE == static_cast<int>(source));
            for (const int value : data)
              orrery::check(value == 10 * static_cast<int>(source) + next[source]);
            ++next[source];
          }
        });
    CHECK(first_message(outcome) == "");
  }
}

TEST_CASE("a matched message is no other receive's, and a synchronous send waits for its receive") {
  double sent_at = 0;
  double received_at = 0;
  const auto outcome = mpi_machine::run({.ranks = 2}, [&](int rank) {
    int value = 1;
    if (rank == 0) {
      MPI_Ssend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      sent_at = MPI_Wtime();
      value = 2;
      MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
      return;
    }
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    int flag = 1;
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    orrery::check(flag == 0);
    MPI_Request request = MPI_REQUEST_NULL;
    int later = 0;
    MPI_Irecv(&later, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    const double start = MPI_Wtime();
    while (MPI_Wtime() < start + 1e-3) {
    }
    received_at = MPI_Wtime();
    int first = 0;
    MPI_Mrecv(&first, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    orrery::check(first == 1 && later == 2);
  });
  CHECK(first_message(outcome) == "");
  CHECK(sent_at >= received_at);
}

TEST_CASE("a probe of MPI_PROC_NULL matches no process's message") {
  CHECK(message_of([] {
          MPI_Message message = MPI_MESSAGE_NULL;
          MPI_Status status{};
          int flag = 0;
          int value = 3;
          CHECK(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS);
          CHECK(message == MPI_MESSAGE_NO_PROC);
          CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
          CHECK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status) == MPI_SUCCESS);
          CHECK((message == MPI_MESSAGE_NULL && value == 3));
          CHECK(MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status) ==
                MPI_SUCCESS);
          CHECK(flag == 1);
          MPI_Request request = MPI_REQUEST_NULL;
          CHECK(MPI_Imrecv(&value, 1, MPI_INT, &message, &request) == MPI_SUCCESS);
          status = {};
          CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
          CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
          CHECK(MPI_Improbe(0, 0, MPI_COMM_WORLD, &flag, &message, &status) == MPI_SUCCESS);
          CHECK((flag == 0 && message == MPI_MESSAGE_NULL));
        }) == "");
}

TEST_CASE("wrong use of messages and probes is found") {
  static int value = 0;
  const auto with_message = [](const std::function<void(MPI_Message*)>& program) {
    return message_of([&] {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      program(&message);
    });
  };
  CHECK_THAT(with_message([](MPI_Message* message) {
               MPI_Message copy = *message;
               MPI_Mrecv(&value, 1, MPI_INT, message, MPI_STATUS_IGNORE);
               MPI_Mrecv(&value, 1, MPI_INT, &copy, MPI_STATUS_IGNORE);
             }),
             Catch::Contains("MPI_Mrecv: argument message is a message that was received before"));
  CHECK_THAT(with_message([](MPI_Message* message) {
               MPI_Mrecv(&value, 1, MPI_INT, message, MPI_STATUS_IGNORE);
               MPI_Mrecv(&value, 1, MPI_INT, message, MPI_STATUS_IGNORE);
             }),
             Catch::Contains("argument message is MPI_MESSAGE_NULL"));
  CHECK_THAT(with_message([](MPI_Message* message) {
               MPI_Mrecv(nullptr, 1, MPI_INT, message, MPI_STATUS_IGNORE);
             }),
             Catch::Contains("argument buf is a null pointer"));
  CHECK_THAT(with_message([](MPI_Message* message) {
               double wrong = 0;
               MPI_Mrecv(&wrong, 1, MPI_DOUBLE, message, MPI_STATUS_IGNORE);
             }),
             Catch::Contains("type signatures differ"));
  CHECK_THAT(message_of([] {
               MPI_Message message = MPI_MESSAGE_NULL;
               MPI_Mprobe(5, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
             }),
             Catch::Contains("argument source is 5"));
  CHECK_THAT(message_of([] {
               int flag = 0;
               MPI_Improbe(0, -7, MPI_COMM_WORLD, &flag, nullptr, MPI_STATUS_IGNORE);
             }),
             Catch::Contains("argument tag is -7"));
}
