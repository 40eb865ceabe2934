// Workers report to a collector, whose card may have no buffer left for what arrives.
#include <chrono>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t collector_rank = 0;
constexpr std::int32_t workers = 2;

// Adds up what the workers have done.
void collect(Communicator& comm, bool is_careful) {
  int reports = 0;
  int sum = 0;
  // A burst is over when nothing has come for a while.
  while (const auto report = comm.receive_for<int>(10ms)) {
    ++reports;
    sum += report->value;
  }
  if (is_careful && reports < workers) return;        // the sum is not known
  check(sum == 10 * workers, "a report is missing");  // BUG: silence is taken for zero
}

void report(Communicator& comm) {
  comm.send(collector_rank, 0, 10);
}

void run(World& world, bool is_careful) {
  Thread collector =
      world.process("collector", [&](Communicator& comm) { collect(comm, is_careful); });
  Thread first = world.process("first", report);
  Thread second = world.process("second", report);
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario full_buffers() {
  return {
      .name = "full_buffers",
      .summary = "a sum without a report that the collector's card had no buffer for",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/full_buffers/scenario.cpp",
                   .line = 27,
                   .preemptions = 0},
      .options = timed_with_faults("sram-full=1"),
  };
}

}  // namespace orrery::scenarios
