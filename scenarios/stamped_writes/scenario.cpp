// A store keeps the write with the latest stamp; the stamps come from the writers' clocks.
#include <chrono>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t store_rank = 0;
constexpr std::int32_t second_rank = 2;

struct Write {
  std::int64_t stamp;
  int value;
};

// Takes two writes, of which the one with the later stamp wins.
void keep(Communicator& comm) {
  Write kept{-1, 0};
  for (int count = 0; count < 2; ++count) {
    const Write write = comm.receive<Write>().value;
    if (write.stamp > kept.stamp) kept = write;
  }
  check(kept.value == 2, "the second write is lost");  // BUG: the first writer's clock is ahead
}

// The second writer writes long after it has heard that the first one has.  A careful one makes its
// stamp later than the one that it has heard of (Lamport 1978), whatever its clock says.
void write(World& world, Communicator& comm, bool is_careful) {
  Write mine{0, comm.rank()};
  std::int64_t heard_of = -1;
  if (comm.rank() == second_rank) {
    heard_of = comm.receive<std::int64_t>(1).value;
    world.sleep_until(VirtualTime::start() + 200ms);
  }
  mine.stamp = world.now().nanoseconds();
  if (is_careful && mine.stamp <= heard_of) mine.stamp = heard_of + 1;
  comm.send(store_rank, 0, mine);
  if (comm.rank() != second_rank) comm.send(second_rank, 0, mine.stamp);
}

void run(World& world, bool is_careful) {
  Thread store = world.process("store", keep);
  const auto writer = [&](Communicator& comm) { write(world, comm, is_careful); };
  Thread first = world.process("first", writer);
  Thread second = world.process("second", writer);
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario stamped_writes() {
  return {
      .name = "stamped_writes",
      .summary = "a later write that loses against an earlier one whose clock is ahead",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/stamped_writes/scenario.cpp",
                   .line = 29,
                   .preemptions = 0},
      .options = timed_with_faults("clock-skew=1:2s"),
  };
}

}  // namespace orrery::scenarios
