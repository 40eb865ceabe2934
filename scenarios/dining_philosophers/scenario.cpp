// Three philosophers at a round table, each with a fork to the left and one to the right.
#include <array>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using Forks = std::array<Mutex, 3>;

Forks lay_table(World& world) {
  return {Mutex(world, "fork 0"), Mutex(world, "fork 1"), Mutex(world, "fork 2")};
}

void eat(Mutex& first, Mutex& second) {
  first.lock();
  second.lock();  // BUG: all have taken their first fork
  second.unlock();
  first.unlock();
}

void buggy(World& world) {
  Forks forks = lay_table(world);
  Thread plato = world.thread("Plato", [&] { eat(forks[0], forks[1]); });
  Thread hypatia = world.thread("Hypatia", [&] { eat(forks[1], forks[2]); });
  Thread laozi = world.thread("Laozi", [&] { eat(forks[2], forks[0]); });
}

// Everybody takes the fork with the lower number first: whoever holds fork 2 has both.
void mended(World& world) {
  Forks forks = lay_table(world);
  Thread plato = world.thread("Plato", [&] { eat(forks[0], forks[1]); });
  Thread hypatia = world.thread("Hypatia", [&] { eat(forks[1], forks[2]); });
  Thread laozi = world.thread("Laozi", [&] { eat(forks[0], forks[2]); });
}

}  // namespace

Scenario dining_philosophers() {
  return {
      .name = "dining_philosophers",
      .summary = "three philosophers each take the left fork and wait for the right one",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::deadlock,
                   .file = "scenarios/dining_philosophers/scenario.cpp",
                   .line = 19,
                   .preemptions = 1},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
