// A file goes over a link in chunks; the link may be down for a while.
#include <chrono>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t receiver_rank = 0;
constexpr std::int32_t sender_rank = 1;
constexpr int chunks = 3;

struct Chunk {
  int number;
  int bytes;
};

// Puts together what comes.  A careful receiver counts, and says that the file is not whole.
void take(Communicator& comm, bool is_careful) {
  int bytes = 0;
  int expected = 0;
  bool is_whole = false;
  bool has_gap = false;
  while (!is_whole) {
    const auto chunk = comm.receive_for<Chunk>(20ms, sender_rank);
    if (!chunk) return;  // cut short, as everybody can see
    has_gap = has_gap || chunk->value.number != expected++;
    bytes += chunk->value.bytes;
    is_whole = chunk->value.number == chunks - 1;
  }
  if (is_careful && has_gap) return;
  check(bytes == 100 * chunks, "a hole in the file");  // BUG: it ends as it should, so it is whole
}

void send(Communicator& comm) {
  for (int number = 0; number < chunks; ++number) comm.send(receiver_rank, 0, Chunk{number, 100});
}

void run(World& world, bool is_careful) {
  Thread receiver = world.process("receiver", [&](Communicator& comm) { take(comm, is_careful); });
  Thread sender = world.process("sender", send);
}

void buggy(World& world) {
  run(world, false);
}
void mended(World& world) {
  run(world, true);
}

}  // namespace

Scenario missing_chunk() {
  return {
      .name = "missing_chunk",
      .summary = "a file that has a hole because the link was down in the middle of it",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/missing_chunk/scenario.cpp",
                   .line = 37,
                   .preemptions = 0},
      .options = with_faults("link-down=1"),
  };
}

}  // namespace orrery::scenarios
