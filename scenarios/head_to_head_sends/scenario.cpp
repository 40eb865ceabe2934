// Two neighbours in a grid swap their boundary rows.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

constexpr std::int32_t row_tag = 1;
// 512 bytes: above this machine's eager threshold (below), so that a send waits for its receive.
constexpr std::size_t cells = 64;

using Row = std::vector<double>;

Row row_of(std::int32_t rank) {
  return Row(cells, static_cast<double>(rank));
}

void buggy(World& world) {
  world.ranks(2, [](Communicator& comm) {
    const std::int32_t neighbour = 1 - comm.rank();
    comm.send(neighbour, row_tag, row_of(comm.rank()));  // BUG: nobody receives
    const auto theirs = comm.receive<Row>(neighbour, row_tag);
    check(theirs.value == row_of(neighbour), "not the neighbour's row");
  });
}

void mended(World& world) {
  world.ranks(2, [](Communicator& comm) {
    const std::int32_t neighbour = 1 - comm.rank();
    const Row mine = row_of(comm.rank());
    Request sending = comm.start_send(neighbour, row_tag, mine);
    const auto theirs = comm.receive<Row>(neighbour, row_tag);
    sending.wait();
    check(theirs.value == row_of(neighbour), "not the neighbour's row");
  });
}

}  // namespace

Scenario head_to_head_sends() {
  auto options = any_order_options();
  options.eager_threshold_bytes = 256;
  return {
      .name = "head_to_head_sends",
      .summary = "two ranks that both send a large message before they receive",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::deadlock,
                   .file = "scenarios/head_to_head_sends/scenario.cpp",
                   .line = 26,
                   .preemptions = 0},
      .options = options,
  };
}

}  // namespace orrery::scenarios
