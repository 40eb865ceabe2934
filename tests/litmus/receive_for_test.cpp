#include <chrono>

#include "reachable.hpp"

using namespace orrery;
using namespace std::chrono_literals;
using litmus::Outcomes;
using litmus::reachable;

namespace {

// The message arrives 50.032 us after the send (ConstantNetwork's latency, and 4 bytes).
std::string wait_for_message(World& world, VirtualDuration patience) {
  std::string result;
  world.ranks(2, [&](Communicator& comm) {
    if (comm.rank() == 1) {
      comm.send(0, 0, 7);
    } else {
      const auto message = comm.receive_for<int>(patience, 1);
      result = message ? "message" : "timeout";
    }
  });
  return result;
}

Outcomes with(VirtualDuration patience, VirtualDuration window) {
  return reachable([&](World& world) { return wait_for_message(world, patience); },
                   litmus::machine(window));
}

}  // namespace

TEST_CASE("in the timed simulation a message that comes in time wins against the deadline") {
  CHECK(with(60us, 0us) == Outcomes{"message"});
  CHECK(with(40us, 0us) == Outcomes{"timeout"});
}

TEST_CASE("a message and a deadline at one instant are a choice") {
  CHECK(with(50us + 32ns, 0us) == Outcomes{"message", "timeout"});
}

TEST_CASE("a message and a deadline within the window of each other are a choice") {
  CHECK(with(60us, 5us) == Outcomes{"message"});
  CHECK(with(60us, 20us) == Outcomes{"message", "timeout"});
  CHECK(with(40us, 5us) == Outcomes{"timeout"});
  CHECK(with(40us, 20us) == Outcomes{"message", "timeout"});
  CHECK(with(1s, any_order) == Outcomes{"message", "timeout"});
}

TEST_CASE("a receive that timed out leaves the message for the next one") {
  const auto program = [](World& world) {
    std::string result;
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 1) {
        comm.send(0, 0, 7);
        return;
      }
      const auto message = comm.receive_for<int>(10us, 1);
      result = message ? "at once" : "later";
      if (!message) world.check(comm.receive<int>(1).value == 7);
    });
    return result;
  };
  CHECK(reachable(program) == Outcomes{"at once", "later"});
}
