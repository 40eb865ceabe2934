// Rank 0 collects the partial results of the others.
#include <cstdint>
#include <map>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

constexpr std::int32_t rank_count = 4;
constexpr std::int32_t collector = 0;

using Results = std::map<std::int32_t, int>;

int partial_result(std::int32_t rank) {
  return 100 + rank;
}

void check_results(const Results& results) {
  for (std::int32_t rank = 1; rank < rank_count; ++rank) {
    check(results.at(rank) == partial_result(rank), "mixed up");  // BUG: order of arrival
  }
}

void collect_by_arrival(Communicator& comm) {
  Results results;
  for (std::int32_t rank = 1; rank < rank_count; ++rank) {
    results[rank] = comm.receive<int>().value;
  }
  check_results(results);
}

void collect_by_source(Communicator& comm) {
  Results results;
  for (std::int32_t received = 1; received < rank_count; ++received) {
    const auto message = comm.receive<int>();
    results[message.source] = message.value;
  }
  check_results(results);
}

void run(World& world, void (*collect)(Communicator&)) {
  world.ranks(rank_count, [&](Communicator& comm) {
    if (comm.rank() == collector) {
      collect(comm);
    } else {
      comm.send(collector, 0, partial_result(comm.rank()));
    }
  });
}

void buggy(World& world) {
  run(world, collect_by_arrival);
}
void mended(World& world) {
  run(world, collect_by_source);
}

}  // namespace

Scenario wildcard_race() {
  return {
      .name = "wildcard_race",
      .summary = "a wildcard receive that takes messages to come in the order of ranks",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/wildcard_race/scenario.cpp",
                   .line = 23,
                   .preemptions = 0},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
