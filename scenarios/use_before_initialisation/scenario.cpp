// A service starts its listener and then tells it the port.
#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

void listen(const Shared<int>& port) {
  check(port.load() != 0, "listens on port 0");  // BUG: the port has not been set yet
}

void buggy(World& world) {
  Shared<int> port(world, 0, "port");
  Thread listener = world.thread("listener", [&] { listen(port); });
  port.store(8080);
}

void mended(World& world) {
  Shared<int> port(world, 0, "port");
  port.store(8080);
  Thread listener = world.thread("listener", [&] { listen(port); });
}

}  // namespace

Scenario use_before_initialisation() {
  return {
      .name = "use_before_initialisation",
      .summary = "a thread that starts before what it uses has been set",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/use_before_initialisation/scenario.cpp",
                   .line = 10,
                   .preemptions = 1},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
