#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mpi_machine.hpp"

namespace {

using mpi_machine::first_message;
using mpi_machine::run;
using mpi_machine::Settings;

// Most of the interface at once, with answers that do not depend on the order of messages.
void exercise(int rank, int size) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  int total = 0;
  MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  std::vector<int> all(static_cast<std::size_t>(size));
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::array<MPI_Request, 2> requests{};
  int got = -1;
  MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &requests[1]);
  int index = -1;
  MPI_Waitany(2, requests.data(), &index, MPI_STATUS_IGNORE);
  int flag = 0;
  while (flag == 0) MPI_Testall(2, requests.data(), &flag, MPI_STATUSES_IGNORE);
  orrery::check(got == (rank + size - 1) % size);
  if (rank == 0) {
    int received = 0;
    for (int peer = 1; peer < size; ++peer) {
      int value = 0;
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status);
      orrery::check(value == status.MPI_SOURCE);
      received += value;
    }
    orrery::check(received == size * (size - 1) / 2);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&half);
}

}  // namespace

TEST_CASE("an MPI program gives its answer in any order of events") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Settings settings;
    settings.ranks = 2 + static_cast<int>(seed % 4);
    settings.seed = seed;
    settings.eager_bytes = seed % 2 == 0 ? 0 : 65536;
    const auto outcome = run(settings, [&](int rank) { exercise(rank, settings.ranks); });
    INFO("seed " << seed);
    CHECK(first_message(outcome) == "");
    CHECK(outcome.is_clean());
  }
}

TEST_CASE("an eager message of 10,000 bytes takes 130 us to the nanosecond") {
  double seconds = 0;
  const auto outcome = run({.ranks = 2}, [&](int rank) {
    std::vector<char> data(10'000);
    if (rank == 0) {
      MPI_Send(data.data(), 10'000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      orrery::check(MPI_Wtime() == 0);
    } else {
      MPI_Recv(data.data(), 10'000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      seconds = MPI_Wtime();
    }
  });
  CHECK(first_message(outcome) == "");
  CHECK(outcome.end.picoseconds() == 130'000'000);
  CHECK(seconds == Approx(130e-6).epsilon(1e-12));
}

TEST_CASE("a wrong argument ends the run with a finding of kind mpi_usage") {
  const auto outcome = run({.ranks = 2}, [](int rank) {
    if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 9, 0, MPI_COMM_WORLD);
  });
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings.front().kind == orrery::FindingKind::mpi_usage);
  CHECK_THAT(first_message(outcome), Catch::Contains("argument dest is 9"));
}

TEST_CASE("a forgotten request is a finding of MPI, not a leak") {
  const auto outcome = run({.ranks = 2}, [](int rank) {
    static int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  });
  REQUIRE_FALSE(outcome.findings.empty());
  CHECK(outcome.findings.front().kind == orrery::FindingKind::mpi_usage);
}

TEST_CASE("head-to-head sends deadlock only where nothing is buffered") {
  const auto exchange = [](std::uint64_t eager_bytes) {
    return run({.ranks = 2, .eager_bytes = eager_bytes}, [](int rank) {
      int value = rank;
      MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  };
  CHECK(exchange(65536).is_clean());
  const auto outcome = exchange(0);
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings.front().kind == orrery::FindingKind::deadlock);
}

TEST_CASE("a busy wait for virtual time ends") {
  const auto outcome = run({.ranks = 1}, [](int) {
    const double end = MPI_Wtime() + 1e-4;
    while (MPI_Wtime() < end) {
    }
  });
  CHECK(outcome.is_clean());
  CHECK(outcome.end.picoseconds() >= 100'000'000);
}

TEST_CASE("non-blocking buffered and ready sends arrive, as all others do") {
  const auto outcome = mpi_machine::run({2}, [](int rank) {
    if (rank == 0) {
      std::array<char, 4 * MPI_BSEND_OVERHEAD> buffer{};
      MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
      const std::array<int, 2> values{11, 12};
      std::array<MPI_Request, 2> requests{};
      MPI_Barrier(MPI_COMM_WORLD);  // both receives are posted
      CHECK(MPI_Ibsend(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
      CHECK(MPI_Irsend(&values[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      void* place = nullptr;
      int bytes = 0;
      MPI_Buffer_detach(&place, &bytes);
      CHECK(place == buffer.data());
      return;
    }
    std::array<int, 2> got{};
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(&got[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    CHECK(got == std::array<int, 2>{11, 12});
  });
  CHECK(outcome.findings.empty());
}

TEST_CASE("a program can ask what it runs with") {
  const auto outcome = mpi_machine::run({1}, [](int) {
    int version = 0, subversion = 0, length = 0, level = -1, is_main = 0;
    CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS);
    CHECK((version == MPI_VERSION && subversion == MPI_SUBVERSION));
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> name{};
    CHECK(MPI_Get_library_version(name.data(), &length) == MPI_SUCCESS);
    CHECK(length == static_cast<int>(std::string(name.data()).size()));
    CHECK_THAT(std::string(name.data()), Catch::Contains("Orrery"));
    CHECK(MPI_Query_thread(&level) == MPI_SUCCESS);
    CHECK((level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE));
    CHECK(MPI_Is_thread_main(&is_main) == MPI_SUCCESS);
    CHECK(is_main == 1);
  });
  CHECK(outcome.findings.empty());
}

TEST_CASE("a duplicate that is made beside other work is there when its request is complete") {
  for (const std::uint64_t seed : {0U, 1U, 2U, 3U}) {
    const auto outcome = mpi_machine::run({4, seed}, [](int rank) {
      MPI_Comm copy = MPI_COMM_NULL;
      MPI_Request request = MPI_REQUEST_NULL;
      CHECK(MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request) == MPI_SUCCESS);
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      int result = -1, again = 0;
      MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
      CHECK(result == MPI_CONGRUENT);
      MPI_Allreduce(&sum, &again, 1, MPI_INT, MPI_SUM, copy);
      CHECK(again == 4 * sum);
      MPI_Comm_free(&copy);
    });
    CHECK(outcome.findings.empty());
  }
}
