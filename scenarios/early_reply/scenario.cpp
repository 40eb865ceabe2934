// A bank confirms deposits; its host may crash and come up again with what is on its disk.
#include <chrono>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t bank_rank = 0;
constexpr std::int32_t teller_rank = 1;
constexpr std::int32_t deposit_tag = 1;
constexpr std::int32_t balance_tag = 2;

// Serves until nobody asks any more.  A careful bank has it on the disk before it says so.
void serve(Communicator& comm, Disk& disk, bool is_careful) {
  while (const auto request = comm.receive_for<int>(50ms, teller_rank)) {
    if (request->tag == deposit_tag) {
      disk.write("balance", disk.read<int>("balance").value_or(0) + request->value);
      if (is_careful) disk.flush();
    }
    comm.send(teller_rank, request->tag, disk.read<int>("balance").value_or(0));
    disk.flush();
  }
}

// What was confirmed must be there later; a crash may keep the bank from answering at all.
void deposit(World& world, Communicator& comm) {
  comm.send(bank_rank, deposit_tag, 100);
  if (!comm.receive_for<int>(20ms, bank_rank, deposit_tag)) return;
  world.sleep_for(10ms);
  comm.send(bank_rank, balance_tag, 0);
  const auto balance = comm.receive_for<int>(20ms, bank_rank, balance_tag);
  if (!balance) return;
  check(balance->value >= 100, "a confirmed deposit is lost");  // BUG: it was not on the disk yet
}

void run(World& world, bool is_careful) {
  Disk disk(world, "ledger");
  Thread bank = world.process("bank", [&](Communicator& comm) { serve(comm, disk, is_careful); });
  Thread teller = world.process("teller", [&](Communicator& comm) { deposit(world, comm); });
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario early_reply() {
  return {
      .name = "early_reply",
      .summary = "a deposit that is confirmed before it is safe, and lost in a crash",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/early_reply/scenario.cpp",
                   .line = 39,
                   .preemptions = 0},
      .options = timed_with_faults("crash=1:5ms"),
  };
}

}  // namespace orrery::scenarios
