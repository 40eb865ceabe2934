// A driver waits for a parcel; the clerk tells of it once.
#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

void buggy(World& world) {
  Atomic<bool> has_arrived(world, false, "has arrived");
  Mutex mutex(world, "counter");
  ConditionVariable arrival(world, "arrival");

  Thread driver = world.thread("driver", [&] {
    if (has_arrived.load()) return;
    Lock lock(mutex);
    arrival.wait(lock);  // BUG: the notification came between the check and the wait
  });
  Thread clerk = world.thread("clerk", [&] {
    has_arrived.store(true);
    arrival.notify_one();
  });
}

// The mutex covers the check and the change, so that nothing comes between check and wait.
void mended(World& world) {
  bool has_arrived = false;
  Mutex mutex(world, "counter");
  ConditionVariable arrival(world, "arrival");

  Thread driver = world.thread("driver", [&] {
    Lock lock(mutex);
    arrival.wait(lock, [&] { return has_arrived; });
  });
  Thread clerk = world.thread("clerk", [&] {
    Lock lock(mutex);
    has_arrived = true;
    arrival.notify_one();
  });
}

}  // namespace

Scenario lost_wakeup() {
  return {
      .name = "lost_wakeup",
      .summary = "a notification that comes between the check and the wait",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::deadlock,
                   .file = "scenarios/lost_wakeup/scenario.cpp",
                   .line = 17,
                   .preemptions = 1},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
