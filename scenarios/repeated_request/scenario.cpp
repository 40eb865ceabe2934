// A teller repeats a deposit until the bank has confirmed it; confirmations may be lost.
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

constexpr std::int32_t bank_rank = 0;
constexpr std::int32_t teller_rank = 1;
constexpr std::int32_t deposit_tag = 1;
constexpr std::int32_t closing_tag = 2;

// Books deposits of 100 until the teller closes.  Deposits have numbers, and a careful bank knows
// one that it has booked already.
void serve(Communicator& comm, bool is_careful) {
  int balance = 0;
  int last_number = 0;
  for (;;) {
    const auto deposit = comm.receive<int>(teller_rank);
    if (deposit.tag == closing_tag) break;
    const bool is_repeated = deposit.value == last_number;
    if (!is_careful || !is_repeated) balance += 100;
    last_number = deposit.value;
    comm.send(teller_rank, deposit_tag, balance);
  }
  check(balance == 100, "a deposit is booked twice");  // BUG: its confirmation was lost
}

void deposit_once(World& world, Communicator& comm) {
  constexpr int attempts = 3;
  constexpr int number = 1;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    comm.send(bank_rank, deposit_tag, number);
    comm.receive<int>(bank_rank);
    const bool is_lost = world.random().chance(1, 20);  // one confirmation in twenty
    if (!is_lost) break;
  }
  comm.send(bank_rank, closing_tag, 0);
}

void run(World& world, bool is_careful) {
  Thread bank = world.process("bank", [&](Communicator& comm) { serve(comm, is_careful); });
  Thread teller = world.process("teller", [&](Communicator& comm) { deposit_once(world, comm); });
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario repeated_request() {
  return {
      .name = "repeated_request",
      .summary = "a request that is repeated because its confirmation was lost, and done twice",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/repeated_request/scenario.cpp",
                   .line = 29,
                   .preemptions = 0},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
