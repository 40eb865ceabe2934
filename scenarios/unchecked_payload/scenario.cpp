// A sensor sends readings with a check digit over a network that may turn over a bit.
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

constexpr std::int32_t display_rank = 0;
constexpr std::int32_t sensor_rank = 1;
constexpr std::uint8_t degrees = 20;

struct Reading {
  std::uint8_t degrees;
  std::uint8_t complement;  // all bits of `degrees` turned over
};

bool is_sound(const Reading& reading) {
  return (reading.degrees ^ reading.complement) == 0xff;
}

void show(Communicator& comm, bool is_careful) {
  for (int count = 0; count < 2; ++count) {
    const Reading reading = comm.receive<Reading>(sensor_rank).value;
    if (is_careful && !is_sound(reading)) continue;  // shows the one before for a little longer
    check(reading.degrees == degrees, "a wrong reading is shown");  // BUG: nobody has checked it
  }
}

void measure(Communicator& comm) {
  for (int count = 0; count < 2; ++count)
    comm.send(display_rank, 0, Reading{degrees, degrees ^ 0xff});
}

void run(World& world, bool is_careful) {
  Thread display = world.process("display", [&](Communicator& comm) { show(comm, is_careful); });
  Thread sensor = world.process("sensor", measure);
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario unchecked_payload() {
  return {
      .name = "unchecked_payload",
      .summary = "a reading that is shown though a bit of its message was turned over",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/unchecked_payload/scenario.cpp",
                   .line = 28,
                   .preemptions = 0},
      .options = with_faults("corrupt=0.05"),
  };
}

}  // namespace orrery::scenarios
