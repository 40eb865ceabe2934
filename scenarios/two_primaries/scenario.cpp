// A backup takes over from a primary that it does not hear of; a witness could tell better.
#include <chrono>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t primary_rank = 0;
constexpr std::int32_t backup_rank = 1;
constexpr std::int32_t witness_rank = 2;

// Each term of office is granted once, to whoever asks first.
void witness(Communicator& comm) {
  int granted = 0;
  while (const auto request = comm.receive_for<int>(30ms)) {
    const bool is_granted = request->value > granted;
    if (is_granted) granted = request->value;
    comm.send(request->source, 0, is_granted);
  }
}

bool is_granted(Communicator& comm, int term) {
  comm.send(witness_rank, 0, term);
  const auto answer = comm.receive_for<bool>(5ms, witness_rank);
  return answer && answer->value;
}

// Holds office for the second term if it may; `primaries` counts who thinks so.
void hold_office(Communicator& comm, bool asks_witness, int& primaries) {
  const bool is_primary = comm.rank() == primary_rank;
  if (is_primary) {
    comm.send(backup_rank, 0, 1);  // the primary is well
  } else if (comm.receive_for<int>(5ms, primary_rank)) {
    return;
  }
  if (asks_witness && !is_granted(comm, 2)) return;
  ++primaries;
  check(primaries == 1, "there are two primaries");  // BUG: nobody has asked the witness
}

void run(World& world, bool asks_witness) {
  int primaries = 0;
  const auto body = [&](Communicator& comm) { hold_office(comm, asks_witness, primaries); };
  Thread primary = world.process("primary", body);
  Thread backup = world.process("backup", body);
  Thread third = world.process("witness", witness);
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario two_primaries() {
  return {
      .name = "two_primaries",
      .summary = "a backup that takes over while the primary is only out of reach",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/two_primaries/scenario.cpp",
                   .line = 44,
                   .preemptions = 0},
      .options = timed_with_faults("partition=1"),
  };
}

}  // namespace orrery::scenarios
