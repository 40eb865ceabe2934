// A monitor declares a worker dead that has not been heard of for a while.
#include <chrono>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t monitor_rank = 0;
constexpr std::int32_t worker_rank = 1;

// Hands the work to another when the worker is silent; a careful one does not take the worker's
// word for good any more.
void watch(Communicator& comm, bool is_careful) {
  int doers = 1;
  bool is_dead = false;
  for (int beat = 0; beat < 3; ++beat) {
    const auto heard = comm.receive_for<int>(3ms, worker_rank);
    if (!heard && !is_dead) {
      is_dead = true;  // somebody else does the work from here on
    } else if (heard && is_dead && !is_careful) {
      ++doers;  // still there: the worker goes on with the work as well
    }
  }
  check(doers == 1, "two do the same work");  // BUG: the worker was slow, not dead
}

void work(World& world, Communicator& comm) {
  for (int beat = 0; beat < 3; ++beat) {
    comm.send(monitor_rank, 0, beat);
    world.sleep_for(1ms);
  }
}

void run(World& world, bool is_careful) {
  Thread monitor = world.process("monitor", [&](Communicator& comm) { watch(comm, is_careful); });
  Thread worker = world.process("worker", [&](Communicator& comm) { work(world, comm); });
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario late_heartbeat() {
  return {
      .name = "late_heartbeat",
      .summary = "a worker that is taken for dead because its heartbeat is late",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/late_heartbeat/scenario.cpp",
                   .line = 30,
                   .preemptions = 0},
      .options = timed_with_faults("delay=0.1:20ms"),
  };
}

}  // namespace orrery::scenarios
