// What the report of a deadlock says of MPI programs: who waits in which call for whom, the circle,
// and whether it depends on buffering.  Each wrong program has a twin in which it is mended.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "mpi_machine.hpp"

namespace {

using Catch::Contains;
using mpi_machine::first_message;
using mpi_machine::run;
using Program = std::function<void(int)>;

constexpr std::uint64_t seeds = 60;

void send(int to, int tag = 0, int count = 1) {
  const std::vector<int> values(static_cast<std::size_t>(count), 7);
  MPI_Send(values.data(), count, MPI_INT, to, tag, MPI_COMM_WORLD);
}

void receive(int from, int tag = 0, int count = 1) {
  std::vector<int> values(static_cast<std::size_t>(count));
  MPI_Recv(values.data(), count, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

orrery::Finding deadlock_of(int ranks, const Program& program, std::uint64_t seed = 0) {
  const auto outcome = run({.ranks = ranks, .seed = seed}, program);
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings.front().kind == orrery::FindingKind::deadlock);
  return outcome.findings.front();
}

void check_clean(int ranks, const Program& program) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    INFO("seed " << seed);
    CHECK(first_message(run({.ranks = ranks, .seed = seed}, program)) == "");
  }
}

/// The classes of the deadlocks that a search finds in a program that a plain run finds nothing in.
std::vector<std::string> classes_found(int ranks, const Program& program) {
  CHECK(first_message(run({.ranks = ranks}, program)) == "");
  std::vector<std::string> found;
  for (std::uint64_t seed = 1; seed < seeds; ++seed) {
    const auto outcome = run({.ranks = ranks, .seed = seed}, program);
    if (outcome.is_clean()) continue;
    CHECK(outcome.findings.front().kind == orrery::FindingKind::deadlock);
    const std::string name = outcome.findings.front().class_name;
    if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
  }
  return found;
}

void exchange(int rank, int count) {
  send(1 - rank, 0, count);
  receive(1 - rank, 0, count);
}

void exchange_mended(int rank, int count) {
  std::vector<int> mine(static_cast<std::size_t>(count));
  std::vector<int> theirs(static_cast<std::size_t>(count));
  MPI_Sendrecv(mine.data(), count, MPI_INT, 1 - rank, 0, theirs.data(), count, MPI_INT, 1 - rank, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

TEST_CASE("large messages head to head: a circle that depends on buffering") {
  const auto finding = deadlock_of(2, [](int rank) { exchange(rank, 100'000); });
  CHECK(finding.class_name == "depends on buffering");
  CHECK_THAT(finding.message,
             Contains("rank 0 waits in MPI_Send for rank 1 to receive its message with tag 0; rank "
                      "1 waits in MPI_Send for rank 0"));
  CHECK_THAT(finding.message,
             Contains("in a circle: rank 0 waits for rank 1, rank 1 waits for rank 0"));
  CHECK_THAT(finding.message, Contains("section 3.5"));
  check_clean(2, [](int rank) { exchange_mended(rank, 100'000); });
}

TEST_CASE("small messages head to head: only a search takes the buffers away") {
  CHECK(classes_found(2, [](int rank) { exchange(rank, 1); }) ==
        std::vector<std::string>{"depends on buffering"});
  check_clean(2, [](int rank) { exchange_mended(rank, 1); });
}

TEST_CASE("a send that is not started as a standard one is buffered or not as it says") {
  check_clean(2, [](int rank) {
    std::array<char, 100 + MPI_BSEND_OVERHEAD> buffer{};
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    MPI_Bsend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    receive(1 - rank);
    void* old = nullptr;
    int size = 0;
    MPI_Buffer_detach(&old, &size);
  });
  const auto finding = deadlock_of(2, [](int rank) {
    MPI_Ssend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    receive(1 - rank);
  });
  CHECK(finding.class_name == "certain");
  CHECK_THAT(finding.message, Contains("rank 0 waits in MPI_Ssend for rank 1"));
}

TEST_CASE("three receives in a circle are certain to wait for ever") {
  const auto finding = deadlock_of(3, [](int rank) {
    receive((rank + 2) % 3, 4);
    send((rank + 1) % 3, 4);
  });
  CHECK(finding.class_name == "certain");
  CHECK_THAT(finding.message, Contains("rank 0 waits in MPI_Recv for a message from rank 2 with "
                                       "tag 4"));
  CHECK_THAT(finding.message, Contains("in a circle: rank 0 waits for rank 2, rank 2 waits for "
                                       "rank 1, rank 1 waits for rank 0"));
  check_clean(3, [](int rank) {
    if (rank == 0) send(1, 4);
    receive((rank + 2) % 3, 4);
    if (rank != 0) send((rank + 1) % 3, 4);
  });
}

TEST_CASE("a wildcard that takes what the next receive needs: certain, in some orders only") {
  const auto program = [](int first, int second) {
    return [=](int rank) {
      if (rank == 0) receive(first);
      if (rank == 0) receive(second);
      if (rank != 0) send(0);
    };
  };
  CHECK(classes_found(3, program(MPI_ANY_SOURCE, 2)) == std::vector<std::string>{"certain"});
  check_clean(3, program(2, MPI_ANY_SOURCE));
}

TEST_CASE("a collective operation between a send and its receive") {
  const auto wrong = [](int rank) {
    if (rank == 0) send(1, 0, 100'000);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) receive(0, 0, 100'000);
  };
  const auto finding = deadlock_of(2, wrong);
  CHECK(finding.class_name == "depends on buffering");
  CHECK_THAT(finding.message, Contains("rank 1 waits in MPI_Barrier for rank 0"));
  const auto certain = deadlock_of(2, [](int rank) {
    if (rank == 0) receive(1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) send(0);
  });
  CHECK(certain.class_name == "certain");
  check_clean(2, [](int rank) {
    if (rank == 0) send(1);
    if (rank == 1) receive(0);
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST_CASE("a non-blocking collective operation says for whom it waits") {
  const auto finding = deadlock_of(2, [](int rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) receive(0);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) send(1);
  });
  CHECK(finding.class_name == "certain");
  CHECK_THAT(finding.message,
             Contains("rank 0 waits in MPI_Wait for its MPI_Ibarrier, which waits for rank 1"));
  CHECK_THAT(finding.message,
             Contains("in a circle: rank 0 waits for rank 1, rank 1 waits for rank 0"));
}

TEST_CASE("waits for several requests name all that is missing") {
  const auto wait_for_two = [](bool all) {
    return [=](int rank) {
      if (rank == 1) receive(0, 9);
      if (rank != 0) return;
      std::array<int, 3> values{};
      std::array<MPI_Request, 3> requests{};
      for (std::size_t i = 0; i < 2; ++i) {
        MPI_Irecv(&values.at(i), 1, MPI_INT, 1, static_cast<int>(i), MPI_COMM_WORLD,
                  &requests.at(i));
      }
      MPI_Issend(&values.at(2), 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests.at(2));
      int index = 0;
      if (all) {
        MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
      } else {
        MPI_Waitany(3, requests.data(), &index, MPI_STATUS_IGNORE);
      }
    };
  };
  const std::string what =
      "a message from rank 1 with tag 0, a message from rank 1 with tag 1, rank 1 to receive its "
      "message with tag 5";
  CHECK_THAT(deadlock_of(2, wait_for_two(true)).message,
             Contains("rank 0 waits in MPI_Waitall for " + what));
  CHECK_THAT(deadlock_of(2, wait_for_two(false)).message,
             Contains("rank 0 waits in MPI_Waitany for one of " + what));
}

TEST_CASE("a wait that buffers would not end is certain, whatever else waits with it") {
  const auto program = [](MPI_Request* requests, int count, int rank) {
    static std::vector<int> large(100'000);
    int value = 0;
    MPI_Isend(large.data(), 100'000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests);
    if (count == 2) MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, requests + 1);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    receive(1 - rank, 0, 100'000);
    if (count == 1) return;
    send(1 - rank, 1);
  };
  const auto with = [&](int count) {
    return deadlock_of(2,
                       [&, count](int rank) {
                         std::array<MPI_Request, 2> requests{};
                         program(requests.data(), count, rank);
                       })
        .class_name;
  };
  CHECK(with(1) == "depends on buffering");
  CHECK(with(2) == "certain");
}

TEST_CASE("a probe, and a rank that has ended its part") {
  const auto finding = deadlock_of(2, [](int rank) {
    if (rank == 0) MPI_Probe(1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CHECK(finding.class_name == "certain");
  CHECK_THAT(finding.message, Contains("rank 0 waits in MPI_Probe for a message from rank 1"));
  CHECK_THAT(finding.message, Contains("with tag 3"));
}

TEST_CASE("who waits for a window's lock is told who has it") {
  const auto program = [](bool unlocks_first) {
    return [=](int rank) {
      MPI_Win window = MPI_WIN_NULL;
      int* memory = nullptr;
      MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
      if (rank == 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        int value = 0;
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        send(1);
        if (!unlocks_first) receive(1);
        MPI_Win_unlock(0, window);
        if (unlocks_first) receive(1);
      } else if (rank == 1) {
        receive(2);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Win_unlock(0, window);
        send(2);
      }
      MPI_Win_free(&window);
    };
  };
  const auto finding = deadlock_of(3, program(false));
  CHECK(finding.class_name == "certain");
  CHECK_THAT(finding.message, Contains("rank 1 waits in MPI_Win_lock for rank 0 to answer "
                                       "MPI_Win_lock, held by rank 2"));
  CHECK_THAT(finding.message,
             Contains("in a circle: rank 1 waits for rank 2, rank 2 waits for rank 1"));
  check_clean(3, program(true));
}
