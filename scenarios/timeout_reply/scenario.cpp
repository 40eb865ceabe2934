// A client asks a slow server two questions, and does not wait for ever for the first answer.
#include <chrono>
#include <cstdint>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t server_rank = 0;
constexpr std::int32_t client_rank = 1;

struct Numbered {  // a question or its answer
  int number;
  int value;
};

void serve(Communicator& comm) {
  for (int served = 0; served < 2; ++served) {
    const Numbered question = comm.receive<Numbered>(client_rank).value;
    comm.send(client_rank, 0, Numbered{question.number, question.value * question.value});
  }
}

// Asks, waits a while, gives up, asks something else.
void ask(Communicator& comm, int (*receive_second)(Communicator&)) {
  comm.send(server_rank, 0, Numbered{1, 6});
  const auto first = comm.receive_for<Numbered>(5ms, server_rank);
  comm.send(server_rank, 0, Numbered{2, 7});
  check(receive_second(comm) == 49, "not the answer to this question");  // BUG: a late answer
  if (first) check(first->value.value == 36, "not the answer to the first question");
}

int next_answer(Communicator& comm) {
  return comm.receive<Numbered>(server_rank).value.value;
}

// The answer to the first question may still be on its way: its number tells.
int answer_to_second(Communicator& comm) {
  Numbered answer = comm.receive<Numbered>(server_rank).value;
  while (answer.number != 2) answer = comm.receive<Numbered>(server_rank).value;
  return answer.value;
}

void run(World& world, int (*receive_second)(Communicator&)) {
  Thread server = world.process("server", serve);
  Thread client = world.process("client", [&](Communicator& comm) { ask(comm, receive_second); });
}

void buggy(World& world) {
  run(world, next_answer);
}
void mended(World& world) {
  run(world, answer_to_second);
}

}  // namespace

Scenario timeout_reply() {
  return {
      .name = "timeout_reply",
      .summary = "a client that gives up while the reply is on its way, and takes it for another",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::assertion,
                   .file = "scenarios/timeout_reply/scenario.cpp",
                   .line = 34,
                   .preemptions = 0},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
