// A client asks a server over a network that may lose messages.
#include <chrono>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t server_rank = 0;
constexpr std::int32_t client_rank = 1;

// Answers until nobody asks any more.
void serve(Communicator& comm) {
  while (const auto question = comm.receive_for<int>(50ms, client_rank)) {
    comm.send(client_rank, 0, question->value * question->value);
  }
}

void ask_once(Communicator& comm) {
  comm.send(server_rank, 0, 6);
  check(comm.receive<int>(server_rank).value == 36);  // BUG: waits for ever if either is lost
}

// Asks again when no answer comes, and gives up in the end.
void ask_patiently(Communicator& comm) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    comm.send(server_rank, 0, 6);
    const auto answer = comm.receive_for<int>(10ms, server_rank);
    if (!answer) continue;
    check(answer->value == 36);
    return;
  }
}

void run(World& world, void (*ask)(Communicator&)) {
  Thread server = world.process("server", serve);
  Thread client = world.process("client", ask);
}

void buggy(World& world) {
  run(world, ask_once);
}
void mended(World& world) {
  run(world, ask_patiently);
}

}  // namespace

Scenario unanswered_request() {
  return {
      .name = "unanswered_request",
      .summary = "a client that waits for ever because its question or the answer was lost",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::deadlock,
                   .file = "scenarios/unanswered_request/scenario.cpp",
                   .line = 26,
                   .preemptions = 0},
      .options = timed_with_faults("loss=0.05"),
  };
}

}  // namespace orrery::scenarios
