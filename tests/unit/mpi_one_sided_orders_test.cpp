// What one-sided communication may come to, in all orders; and that a run can be done again.
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/strategies.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "litmus/reachable.hpp"
#include "replay/seen_run.hpp"
#include "unit/mpi_machine.hpp"

using namespace orrery;
using namespace std::chrono_literals;

namespace {

/// The outcome of a run is what rank 0 finds in its window at the end.
struct Litmus {
  int ranks = 2;
  std::function<void(int rank, MPI_Win win, int* memory)> program;
};

constexpr MPI_Aint window_bytes = 4 * sizeof(int);

std::string run(World& world, const Litmus& litmus) {
  // A run of a search may be left anywhere: each begins with a library that knows nothing.
  orrery_front_end_attach(nullptr);
  orrery_front_end_attach(&simulated_runtime());
  std::string outcome;
  mpi_machine::run_ranks(world, litmus.ranks, [&](int rank) {
    std::array<int, 4> memory{};
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_create(memory.data(), window_bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    litmus.program(rank, win, memory.data());
    MPI_Win_free(&win);
    if (rank == 0) outcome = std::to_string(memory[0]) + " " + std::to_string(memory[1]);
  });
  return outcome;
}

litmus::Outcomes seen(const std::string& strategy, const Litmus& program, std::uint64_t runs) {
  litmus::Outcomes outcomes;
  ExploreOptions search;
  search.name = "one-sided";
  search.strategy = strategy;
  search.simulation.window = any_order;
  search.runs = runs;
  search.keep_going = true;
  search.shrink = false;
  search.save_logs = false;
  search.isolate = false;
  const Report report = explore(search, [&](World& world) {
    std::string outcome = run(world, program);
    world.yield();
    outcomes.insert(std::move(outcome));
  });
  orrery_front_end_attach(nullptr);
  for (const FoundRun& found : report.findings) outcomes.insert(found.finding.message);
  return outcomes;
}

void put(int value, int target, MPI_Aint place, MPI_Win win) {
  // The operation reads it until it is complete.
  static constexpr std::array values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  MPI_Accumulate(&values.at(static_cast<std::size_t>(value)), 1, MPI_INT, target, place, 1, MPI_INT,
                 MPI_REPLACE, win);
}

const Litmus two_writers{2, [](int rank, MPI_Win win, int*) {
                           MPI_Win_fence(0, win);
                           put(rank + 1, 0, 0, win);
                           MPI_Win_fence(0, win);
                         }};

const Litmus counter{3, [](int rank, MPI_Win win, int* memory) {
                       const int one = 1;
                       int before = -1;
                       MPI_Win_lock_all(0, win);
                       MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, win);
                       MPI_Win_flush(0, win);
                       MPI_Win_unlock_all(win);
                       orrery::check(before >= 0 && before < 3);
                       (void)rank;
                       (void)memory;
                     }};

const Litmus critical_section{2, [](int, MPI_Win win, int*) {
                                int value = 0;
                                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
                                MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
                                MPI_Win_flush(0, win);
                                ++value;
                                MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
                                MPI_Win_unlock(0, win);
                              }};

// Data and then a flag: with a flush in between, who sees the flag sees the data.
Litmus message_passing(bool with_flush) {
  return {2, [with_flush](int rank, MPI_Win win, int* memory) {
            MPI_Win_lock_all(0, win);
            if (rank == 1) {
              const int data = 5;
              MPI_Put(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
              if (with_flush) MPI_Win_flush(0, win);
              put(1, 0, 1, win);
              MPI_Win_flush(0, win);
            } else {
              const auto* const seen = static_cast<volatile int*>(memory);
              while (seen[1] == 0) MPI_Win_sync(win);
              if (seen[0] != 5) put(9, 0, 1, win);
              MPI_Win_flush(0, win);
            }
            MPI_Win_unlock_all(win);
            MPI_Barrier(MPI_COMM_WORLD);
          }};
}

}  // namespace

TEST_CASE("of two that write one place, either may be the last") {
  for (const char* strategy : {"random", "pos", "pct"}) {
    CHECK(seen(strategy, two_writers, 200) == litmus::Outcomes{"1 0", "2 0"});
  }
}

TEST_CASE("a counter that is fetched and added to never loses one") {
  for (const char* strategy : {"random", "pos"}) {
    CHECK(seen(strategy, counter, 200) == litmus::Outcomes{"3 0"});
  }
}

TEST_CASE("an exclusive lock makes a critical section") {
  for (const char* strategy : {"random", "pos"}) {
    CHECK(seen(strategy, critical_section, 200) == litmus::Outcomes{"2 0"});
  }
}

TEST_CASE("data that are flushed are there before a flag that comes after them") {
  for (const char* strategy : {"random", "pos"}) {
    CHECK(seen(strategy, message_passing(true), 300) == litmus::Outcomes{"5 1"});
    CHECK(seen(strategy, message_passing(false), 300) == litmus::Outcomes{"5 1", "5 9"});
  }
}

TEST_CASE("in all orders there are, accumulates of one rank to one place keep theirs") {
  const Litmus small{1, [](int, MPI_Win win, int*) {
                       const int five = 5;
                       MPI_Win_lock_all(0, win);
                       put(1, 0, 0, win);
                       MPI_Put(&five, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
                       put(2, 0, 0, win);
                       MPI_Win_unlock_all(win);
                     }};
  const auto outcomes = litmus::reachable([&](World& world) { return run(world, small); });
  orrery_front_end_attach(nullptr);
  CHECK(outcomes == litmus::Outcomes{"2 5"});
}

TEST_CASE("a run with windows is the same under another seed, window and network") {
  for (const Litmus& litmus : {two_writers, counter, critical_section, message_passing(true)}) {
    SimulationOptions options;
    options.window = any_order;
    const auto chooser = make_strategy("random")->chooser({});
    Simulation simulation(options);
    for (std::uint64_t index = 0; index < 5; ++index) {
      std::string first;
      std::string second;
      simulation.set_run(/*seed=*/3, index);
      const test::SeenRun seen_run = test::watch(
          simulation, [&](World& world) { first = run(world, litmus); }, *chooser);
      CHECK(seen_run.outcome.is_clean());
      SimulationOptions other;
      other.seed = 77;
      other.window = index % 2 == 0 ? VirtualDuration::zero() : VirtualDuration(60us);
      other.network = [] {
        return std::make_unique<ConstantNetwork>(
            8, LinkSpeed{.latency = 3ms, .bandwidth_bytes_per_second = 1'000'000});
      };
      Simulation elsewhere(other);
      UndisturbedChooser fallback;
      ScheduleReplayer replayer(seen_run.schedule, fallback);
      const test::SeenRun again = test::watch(
          elsewhere, [&](World& world) { second = run(world, litmus); }, replayer);
      CHECK_FALSE(replayer.parted());
      CHECK(replayer.is_used_up());
      CHECK_FALSE(first_difference(seen_run.events, again.events));
      CHECK(first == second);
    }
  }
  orrery_front_end_attach(nullptr);
}
