// Two clients write to a store, each while it holds a lease; a NIC may stand still meanwhile.
#include <chrono>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t store_rank = 0;
constexpr VirtualDuration lease = 5ms;

struct Write {
  int token;  // of the lease under which it was sent: a later one has a higher number
};

// Takes writes for as long as there are any.  A careful store refuses those of an older lease
// than the last.
void keep(Communicator& comm, bool is_careful) {
  int last = 0;
  while (const auto write = comm.receive_for<Write>(40ms)) {
    const bool is_stale = write->value.token < last;
    if (is_stale && is_careful) continue;
    check(!is_stale, "a write of a lease that is over");  // BUG: it was sent in time, and held up
    last = write->value.token;
  }
}

// The leases follow each other, so that no two clients hold one at a time.
void write_under_lease(World& world, Communicator& comm) {
  const int token = comm.rank();
  world.sleep_for(lease * (token - 1));
  comm.send(store_rank, 0, Write{token});
}

void run(World& world, bool is_careful) {
  Thread store = world.process("store", [&](Communicator& comm) { keep(comm, is_careful); });
  const auto client = [&](Communicator& comm) { write_under_lease(world, comm); };
  Thread first = world.process("first", client);
  Thread second = world.process("second", client);
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario stale_write() {
  return {
      .name = "stale_write",
      .summary = "a write that comes after its lease is over because a NIC stood still",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/stale_write/scenario.cpp",
                   .line = 28,
                   .preemptions = 0},
      .options = timed_with_faults("nic-stall=1:20ms"),
  };
}

}  // namespace orrery::scenarios
