// A teller sends deposits to a bank over a network that may deliver a message twice.
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

constexpr std::int32_t bank_rank = 0;
constexpr std::int32_t teller_rank = 1;
constexpr std::int32_t deposit_tag = 1;
constexpr std::int32_t closing_tag = 2;

struct Deposit {
  int number;
  int amount;
};

// Books what comes until the teller closes.  A careful bank knows a deposit by its number.
void serve(Communicator& comm, bool is_careful) {
  int balance = 0;
  int last_number = 0;
  for (;;) {
    const auto deposit = comm.receive<Deposit>(teller_rank);
    if (deposit.tag == closing_tag) break;
    const bool is_known = deposit.value.number == last_number;
    if (!is_careful || !is_known) balance += deposit.value.amount;
    last_number = deposit.value.number;
  }
  check(balance == 300, "a deposit is booked twice");  // BUG: its message came twice
}

void deposit(Communicator& comm) {
  comm.send(bank_rank, deposit_tag, Deposit{1, 100});
  comm.send(bank_rank, deposit_tag, Deposit{2, 200});
  comm.send(bank_rank, closing_tag, Deposit{});
}

void run(World& world, bool is_careful) {
  Thread bank = world.process("bank", [&](Communicator& comm) { serve(comm, is_careful); });
  Thread teller = world.process("teller", deposit);
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario booked_twice() {
  return {
      .name = "booked_twice",
      .summary = "a deposit that is booked twice because its message arrived twice",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/booked_twice/scenario.cpp",
                   .line = 32,
                   .preemptions = 0},
      .options = with_faults("duplicate=0.05"),
  };
}

}  // namespace orrery::scenarios
