// Two clerks pay into one account at the same time.
#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

void buggy(World& world) {
  Shared<int> balance(world, 100, "balance");
  const auto deposit = [&] {
    const int before = balance.load();
    balance.store(before + 10);
  };
  Thread alice = world.thread("Alice", deposit);
  Thread bob = world.thread("Bob", deposit);
  alice.join();
  bob.join();
  world.check(balance.load() == 120, "a deposit is lost");  // BUG: both loaded 100
}

void mended(World& world) {
  Shared<int> balance(world, 100, "balance");
  Mutex mutex(world, "account");
  const auto deposit = [&] {
    Lock guard(mutex);
    const int before = balance.load();
    balance.store(before + 10);
  };
  Thread alice = world.thread("Alice", deposit);
  Thread bob = world.thread("Bob", deposit);
  alice.join();
  bob.join();
  world.check(balance.load() == 120, "a deposit is lost");
}

}  // namespace

Scenario lost_update() {
  return {
      .name = "lost_update",
      .summary = "two deposits at the same time, one of which is lost",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/lost_update/scenario.cpp",
                   .line = 19,
                   .preemptions = 1},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
