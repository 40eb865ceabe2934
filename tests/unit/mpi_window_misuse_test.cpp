// What is found of wrong one-sided communication, and not found in its mended twins.
#include <array>
#include <functional>
#include <string>

#include <catch2/catch.hpp>

#include "unit/mpi_machine.hpp"

namespace {

constexpr int ints_max = 4;

// A window of four ints a rank, for two ranks; what is found first.
std::string found(const std::function<void(int rank, int* memory, MPI_Win& win)>& program,
                  std::uint64_t seed = 0) {
  const auto outcome = mpi_machine::run({2, seed}, [&](int rank) {
    int* memory = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_allocate(ints_max * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    program(rank, memory, win);
    if (win != MPI_WIN_NULL) MPI_Win_free(&win);
  });
  if (outcome.findings.empty()) return "";
  CHECK(outcome.findings.front().kind == orrery::FindingKind::mpi_usage);
  return outcome.findings.front().message;
}

void put_int(int target, MPI_Aint displacement, MPI_Win win) {
  static const int value = 7;
  MPI_Put(&value, 1, MPI_INT, target, displacement, 1, MPI_INT, win);
}

MPI_Group group_of(MPI_Win win) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Win_get_group(win, &group);
  return group;
}

}  // namespace

TEST_CASE("an access without an epoch, or outside of the one that is open, is found") {
  CHECK_THAT(found([](int, int*, MPI_Win& win) { put_int(0, 0, win); }),
             Catch::Contains("no epoch is open in which rank 0"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) {
               MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
               put_int(1, 0, win);
             }),
             Catch::Contains("rank 1 of a window of MPI_COMM_WORLD is not locked, and rank 0 is"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) {
               MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
               put_int(0, 0, win);
             }),
             Catch::Contains("no epoch is open"));
  CHECK_THAT(found([](int rank, int*, MPI_Win& win) {
               MPI_Win_post(group_of(win), 0, win);
               MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
               put_int(rank, 0, win);
             }),
             Catch::Contains("is not in the group that MPI_Win_start was given"));
  CHECK_THAT(found([](int rank, int*, MPI_Win& win) {
               MPI_Request request = MPI_REQUEST_NULL;
               MPI_Win_fence(0, win);
               MPI_Rput(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, win, &request);
             }),
             Catch::Contains("is not locked, and this call needs MPI_Win_lock"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) { MPI_Win_flush_all(win); }),
             Catch::Contains("no rank of a window of MPI_COMM_WORLD is locked"));
}

TEST_CASE("epochs of two kinds at once, and ends without beginnings, are found") {
  CHECK_THAT(found([](int, int*, MPI_Win& win) {
               MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
               MPI_Win_fence(0, win);
             }),
             Catch::Contains("MPI_Win_fence: called while rank 0"));
  CHECK_THAT(found([](int rank, int*, MPI_Win& win) {
               MPI_Win_fence(0, win);
               put_int(rank, 0, win);
               MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
             }),
             Catch::Contains("no MPI_Win_fence has completed what was accessed"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) {
               MPI_Win_lock_all(0, win);
               MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
             }),
             Catch::Contains("is locked by MPI_Win_lock_all"));
  CHECK_THAT(found([](int rank, int*, MPI_Win& win) {
               MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
               MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
             }),
             Catch::Contains("is locked already, and not unlocked since"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) { MPI_Win_unlock(1, win); }),
             Catch::Contains("rank 1 of a window of MPI_COMM_WORLD is not locked by MPI_Win_lock"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) { MPI_Win_unlock_all(win); }),
             Catch::Contains("is not locked by MPI_Win_lock_all"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) { MPI_Win_complete(win); }),
             Catch::Contains("no MPI_Win_start has begun"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) { MPI_Win_wait(win); }),
             Catch::Contains("no MPI_Win_post has begun"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) {
               MPI_Win_post(group_of(win), 0, win);
               MPI_Win_post(group_of(win), 0, win);
             }),
             Catch::Contains("while the exposure epoch of an earlier MPI_Win_post"));
  CHECK_THAT(found([](int, int*, MPI_Win& win) {
               MPI_Win_lock_all(0, win);
               MPI_Win_free(&win);
             }),
             Catch::Contains("MPI_Win_free: called while"));
  CHECK_THAT(found([](int rank, int*, MPI_Win& win) {
               MPI_Win_fence(0, win);
               put_int(rank, 0, win);
               MPI_Win_free(&win);
             }),
             Catch::Contains("no MPI_Win_fence has completed"));
}

TEST_CASE("wrong assertions are found") {
  CHECK_THAT(found([](int, int*, MPI_Win& win) { MPI_Win_fence(MPI_MODE_NOCHECK, win); }),
             Catch::Contains("no combination of the assertions"));
  CHECK_THAT(found([](int rank, int*, MPI_Win& win) {
               MPI_Win_fence(0, win);
               put_int(rank, 0, win);
               MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
             }),
             Catch::Contains("MPI_MODE_NOPRECEDE says that this fence completes nothing"));
  CHECK_THAT(found([](int rank, int*, MPI_Win& win) {
               MPI_Win_fence(rank == 0 ? MPI_MODE_NOSUCCEED : 0, win);
             }),
             Catch::Contains("another operation"));
  CHECK_THAT(found([](int rank, int*, MPI_Win& win) {
               if (rank == 1) MPI_Recv(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
               if (rank == 0) MPI_Win_start(group_of(win), MPI_MODE_NOCHECK, win);
             }),
             Catch::Contains("MPI_MODE_NOCHECK says that all targets have called MPI_Win_post"));
  CHECK_THAT(found([](int rank, int*, MPI_Win& win) {
               if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
               MPI_Barrier(MPI_COMM_WORLD);
               if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win);
               MPI_Barrier(MPI_COMM_WORLD);
               MPI_Win_unlock(0, win);
             }),
             Catch::Contains("MPI_MODE_NOCHECK says that no lock of another rank is in the way"));
}

TEST_CASE("wrong targets, bytes, types and operations of an access are found") {
  const auto in_fence = [](auto&& access) {
    return found([&](int, int*, MPI_Win& win) {
      MPI_Win_fence(0, win);
      access(win);
      MPI_Win_fence(0, win);
    });
  };
  static std::array<int, 8> data{};
  CHECK_THAT(in_fence([](MPI_Win win) { put_int(2, 0, win); }),
             Catch::Contains("argument target_rank is 2"));
  CHECK_THAT(in_fence([](MPI_Win win) { put_int(1, 4, win); }),
             Catch::Contains("the bytes 16 to 20 of rank 1's part"));
  CHECK_THAT(in_fence([](MPI_Win win) { put_int(1, -1, win); }),
             Catch::Contains("the bytes -4 to 0 of rank 1's part"));
  CHECK_THAT(in_fence([](MPI_Win win) { MPI_Put(data.data(), 2, MPI_INT, 0, 0, 1, MPI_INT, win); }),
             Catch::Contains("do not fit into 1 elements of MPI_INT at the target (4 bytes)"));
  CHECK_THAT(
      in_fence([](MPI_Win win) { MPI_Get(data.data(), 1, MPI_FLOAT, 0, 0, 1, MPI_INT, win); }),
      Catch::Contains("their type signatures differ"));
  CHECK_THAT(in_fence([](MPI_Win win) { MPI_Put(nullptr, 1, MPI_INT, 0, 0, 1, MPI_INT, win); }),
             Catch::Contains("argument origin_addr is a null pointer"));
  CHECK_THAT(in_fence([](MPI_Win win) {
               MPI_Accumulate(data.data(), 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win);
             }),
             Catch::Contains("MPI_BAND is not defined for MPI_FLOAT"));
  CHECK_THAT(in_fence([](MPI_Win win) {
               MPI_Accumulate(data.data(), 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win);
             }),
             Catch::Contains("argument op is MPI_NO_OP"));
  CHECK_THAT(in_fence([](MPI_Win win) {
               MPI_Compare_and_swap(data.data(), data.data(), data.data(), MPI_DOUBLE, 0, 0, win);
             }),
             Catch::Contains("must be a predefined integer"));
  CHECK_THAT(in_fence([](MPI_Win win) {
               MPI_Datatype twice = MPI_DATATYPE_NULL;
               MPI_Type_vector(2, 1, 0, MPI_INT, &twice);
               MPI_Type_commit(&twice);
               MPI_Put(data.data(), 2, MPI_INT, 0, 0, 1, twice, win);
             }),
             Catch::Contains("argument target_datatype has elements that lie over each other"));
  CHECK_THAT(
      in_fence([](MPI_Win win) { MPI_Put(data.data(), -1, MPI_INT, 0, 0, 1, MPI_INT, win); }),
      Catch::Contains("argument origin_count is -1"));
}

TEST_CASE("a window that is none, or of another kind, is found") {
  CHECK_THAT(found([](int, int*, MPI_Win& win) {
               const MPI_Win kept = win;
               MPI_Win_free(&win);
               MPI_Win_fence(0, kept);
             }),
             Catch::Contains("a window that was freed"));
  CHECK_THAT(found([](int, int*, MPI_Win&) { MPI_Win_fence(0, MPI_WIN_NULL); }),
             Catch::Contains("argument win is MPI_WIN_NULL"));
  CHECK_THAT(found([](int, int* memory, MPI_Win& win) { MPI_Win_attach(win, memory, 4); }),
             Catch::Contains("was not made by MPI_Win_create_dynamic"));
  CHECK_THAT(found([](int rank, int*, MPI_Win&) {
               MPI_Win dynamic = MPI_WIN_NULL;
               MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
               std::array<int, 2> memory{};
               MPI_Win_attach(dynamic, memory.data(), sizeof memory);
               MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, dynamic);
               put_int(rank, reinterpret_cast<MPI_Aint>(memory.data() + 2), dynamic);
               MPI_Win_unlock(rank, dynamic);
             }),
             Catch::Contains("lie in nothing that it has attached"));
  CHECK_THAT(found([](int, int*, MPI_Win&) {
               void* memory = nullptr;
               MPI_Win shared = MPI_WIN_NULL;
               MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &shared);
             }),
             Catch::Contains("are on several hosts"));
}

TEST_CASE("accesses that nothing orders are found in every order, and those that go together not") {
  const auto in_fence = [](auto&& first, auto&& second) {
    std::array<bool, 2> is_found{};
    std::string message;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const std::string one = found(
          [&](int rank, int*, MPI_Win& win) {
            MPI_Win_fence(0, win);
            if (rank == 0) first(win);
            if (rank == 1) second(win);
            MPI_Win_fence(0, win);
          },
          seed);
      is_found[one.empty() ? 0 : 1] = true;
      if (!one.empty()) message = one;
    }
    CHECK_FALSE((is_found[0] && is_found[1]));
    return message;
  };
  static std::array<int, 8> data{};
  const auto put = [](MPI_Win win) { put_int(0, 1, win); };
  const auto get = [](MPI_Win win) {
    static int value = 0;
    MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
  };
  const auto get_wider = [](MPI_Win win) {
    MPI_Get(data.data(), 4, MPI_INT, 0, 0, 4, MPI_INT, win);
  };
  const auto put_beside = [](MPI_Win win) { put_int(0, 2, win); };
  const auto accumulate = [](MPI_Op op) {
    return
        [op](MPI_Win win) { MPI_Accumulate(data.data(), 2, MPI_INT, 0, 0, 2, MPI_INT, op, win); };
  };
  const auto fetch = [](MPI_Win win) {
    static int value = 0;
    MPI_Fetch_and_op(nullptr, &value, MPI_INT, 0, 1, MPI_NO_OP, win);
  };
  const auto conflict = Catch::Contains("bytes 4 to 8 of rank 0's part");
  CHECK_THAT(in_fence(put, put), conflict);
  CHECK_THAT(in_fence(put, get), conflict);
  CHECK_THAT(in_fence(get_wider, put), conflict);
  CHECK_THAT(in_fence(put, accumulate(MPI_SUM)), conflict);
  CHECK_THAT(in_fence(get, accumulate(MPI_SUM)), conflict);
  CHECK_THAT(in_fence(accumulate(MPI_SUM), accumulate(MPI_PROD)),
             Catch::Contains("bytes 0 to 8 of rank 0's part"));
  CHECK(in_fence(get, get) == "");
  CHECK(in_fence(put, put_beside) == "");
  CHECK(in_fence(accumulate(MPI_SUM), accumulate(MPI_SUM)) == "");
  CHECK(in_fence(accumulate(MPI_SUM), fetch) == "");
}

TEST_CASE("a fence, a flush or an unlock between two accesses orders them") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CHECK(found(
              [](int rank, int*, MPI_Win& win) {
                MPI_Win_fence(0, win);
                if (rank == 0) put_int(0, 0, win);
                MPI_Win_fence(0, win);
                if (rank == 1) put_int(0, 0, win);
                MPI_Win_fence(0, win);
                // Under one lock, and from one rank to the next.
                MPI_Win_lock_all(0, win);
                if (rank == 1)
                  MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                put_int(0, 1, win);
                MPI_Win_flush(0, win);
                put_int(0, 1, win);
                MPI_Win_flush(0, win);
                if (rank == 0) MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
                MPI_Win_unlock_all(win);
                // Exclusive locks.
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
                put_int(1, 2, win);
                MPI_Win_unlock(1, win);
                MPI_Barrier(MPI_COMM_WORLD);
              },
              seed) == "");
  }
  CHECK_THAT(found([](int, int*, MPI_Win& win) {
               MPI_Win_lock_all(0, win);
               put_int(0, 1, win);
               put_int(0, 1, win);
               MPI_Win_flush(0, win);
             }),
             Catch::Contains("by MPI_Put of the same rank"));
}
