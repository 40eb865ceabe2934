// MPI_THREAD_MULTIPLE on the machine: several threads of a rank are in calls at once.
#include <array>
#include <cstdint>
#include <functional>
#include <utility>

#include <catch2/catch.hpp>

#include "unit/mpi_machine.hpp"

namespace {

using orrery::check;

// Two ranks; the second one does `threaded` in three threads, once `before` is done by both.
void with_threads(const std::function<void(int rank)>& before,
                  const std::function<void(int rank)>& single,
                  const std::function<void(int thread)>& threaded,
                  const std::function<void(int rank)>& after) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    orrery::SimulationOptions options;
    options.eager_threshold_bytes = seed % 2 == 0 ? 0 : 64 * 1024;
    options.window = seed < 4 ? orrery::VirtualDuration::zero() : orrery::any_order;
    orrery::Simulation simulation(options);
    mpi_machine::HashChooser chooser(seed);
    REQUIRE(orrery_front_end_attach(&orrery::simulated_runtime()) == 0);
    const auto outcome = simulation.run(
        [&](orrery::World& world) {
          world.ranks(2, [&](orrery::Communicator& comm) {
            int provided = 0;
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
            before(comm.rank());
            if (comm.rank() == 0) single(0);
            if (comm.rank() == 1) {
              orrery::Thread first = world.thread("first", [&] { threaded(0); });
              orrery::Thread second = world.thread("second", [&] { threaded(1); });
              threaded(2);
              first.join();
              second.join();
            }
            after(comm.rank());
            MPI_Finalize();
          });
        },
        chooser);
    orrery_front_end_attach(nullptr);
    INFO("seed " << seed);
    CHECK(mpi_machine::first_message(outcome) == "");
    REQUIRE(outcome.is_clean());
  }
}

const auto nothing = [](int) {};

}  // namespace

TEST_CASE("of several threads that wait for one message, one gets it, be it large or small") {
  constexpr int each = 4;
  int sum = 0;
  with_threads([&](int rank) { sum = rank == 1 ? 0 : sum; },
               [](int) {
                 for (int i = 0; i < 3 * each; ++i) MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
               },
               [&](int thread) {
                 for (int i = 0; i < each; ++i) {
                   int value = -1;
                   if (thread == 2 && i % 2 == 1) {
                     MPI_Request request = MPI_REQUEST_NULL;
                     MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
                     MPI_Wait(&request, MPI_STATUS_IGNORE);
                   } else {
                     MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                   }
                   sum += value;
                 }
               },
               [&](int rank) {
                 if (rank == 1) check(sum == 3 * each * (3 * each - 1) / 2);
               });
}

TEST_CASE("several threads of a rank may start and flush one-sided operations at once") {
  std::array<MPI_Win, 2> windows{};
  with_threads(
      [&](int rank) {
        int* memory = nullptr;
        MPI_Win& window = windows[static_cast<std::size_t>(rank)];
        MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                         &window);
        MPI_Win_lock_all(0, window);
        MPI_Barrier(MPI_COMM_WORLD);
      },
      nothing,
      [&](int thread) {
        for (int i = 0; i < 5; ++i) {
          const int one = 1;
          int before = -1;
          int found = -1;
          MPI_Request request = MPI_REQUEST_NULL;
          MPI_Fetch_and_op(&one, &before, MPI_INT, 0, thread, MPI_SUM, windows[1]);
          MPI_Rget(&found, 1, MPI_INT, 0, 3, 1, MPI_INT, windows[1], &request);
          if (i % 2 == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
          MPI_Win_flush_all(windows[1]);
          if (i % 2 == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
          check(before == i);
          check(found == 0);
        }
      },
      [&](int rank) {
        MPI_Win& window = windows[static_cast<std::size_t>(rank)];
        MPI_Win_unlock_all(window);
        MPI_Win_free(&window);
      });
}
