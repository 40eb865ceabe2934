// Two nodes agree on a leader: whoever has heard of no claim for a while makes one.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

using Elect = std::int32_t (*)(Communicator&, std::int32_t other);

// Node 0 is the less patient, so as a rule it leads.
VirtualDuration patience(std::int32_t rank) {
  return VirtualDuration(1ms) * (rank + 1);
}

std::int32_t elect_first_claimant(Communicator& comm, std::int32_t other) {
  if (comm.receive_for<bool>(patience(comm.rank()), other)) return other;
  comm.send(other, 0, true);
  return comm.rank();
}

// Every node says whether it claims, and hears whether the other does: if both do, node 0 leads.
std::int32_t elect_lowest_claimant(Communicator& comm, std::int32_t other) {
  const auto bid = comm.receive_for<bool>(patience(comm.rank()), other);
  const bool claims = !bid;
  comm.send(other, 0, claims);
  if (!claims) return other;
  const bool other_claims_too = comm.receive<bool>(other).value;
  return other_claims_too ? 0 : comm.rank();
}

void run(World& world, Elect elect) {
  std::array<std::int32_t, 2> leaders{};
  world.ranks(2, [&](Communicator& comm) {
    const std::int32_t other = 1 - comm.rank();
    leaders[static_cast<std::size_t>(comm.rank())] = elect(comm, other);
  });
  world.check(leaders[0] == leaders[1], "two leaders");  // BUG: two claims have crossed
}

void buggy(World& world) {
  run(world, elect_first_claimant);
}
void mended(World& world) {
  run(world, elect_lowest_claimant);
}

}  // namespace

Scenario leader_election() {
  return {
      .name = "leader_election",
      .summary = "two claims that cross make two leaders",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/leader_election/scenario.cpp",
                   .line = 45,
                   .preemptions = 0},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
