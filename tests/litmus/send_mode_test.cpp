#include <chrono>

#include "reachable.hpp"

using namespace orrery;
using namespace std::chrono_literals;
using litmus::Outcomes;
using litmus::reachable;

namespace {

// Two ranks that both send before they receive.
std::string head_to_head(World& world, std::size_t size_bytes, SendMode mode) {
  world.ranks(2, [&](Communicator& comm) {
    const std::int32_t other = 1 - comm.rank();
    comm.send(other, 0, std::string(size_bytes, 'x'), mode);
    comm.receive<std::string>(other);
  });
  return "done";
}

Outcomes with(std::uint64_t threshold_bytes, std::size_t size_bytes, SendMode mode) {
  SimulationOptions options = litmus::machine();
  options.eager_threshold_bytes = threshold_bytes;
  return reachable([&](World& world) { return head_to_head(world, size_bytes, mode); }, options);
}

}  // namespace

TEST_CASE("a standard send waits for its receive above the eager threshold only") {
  CHECK(with(1000, 1000, SendMode::standard) == Outcomes{"done"});
  CHECK(with(1000, 1001, SendMode::standard) == Outcomes{"deadlock"});
}

TEST_CASE("with an eager threshold of 0 every standard send waits for its receive") {
  CHECK(with(0, 1, SendMode::standard) == Outcomes{"deadlock"});
  CHECK(with(0, 0, SendMode::standard) == Outcomes{"deadlock"});
}

TEST_CASE("a synchronous send always waits for its receive and a buffered one never") {
  CHECK(with(1000, 1, SendMode::synchronous) == Outcomes{"deadlock"});
  CHECK(with(0, 100'000, SendMode::buffered) == Outcomes{"done"});
}

TEST_CASE("when a rendezvous send returns the receive has begun, and an eager one tells nothing") {
  const auto program = [](World& world) {
    std::string order;
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 0) {
        comm.send(1, 0, 'x');
        order += "sent ";
      } else {
        world.sleep_for(1ms);
        order += "receives ";
        comm.receive<char>(0);
      }
    });
    return order;
  };
  SimulationOptions rendezvous = litmus::machine();
  rendezvous.eager_threshold_bytes = 0;
  CHECK(reachable(program, rendezvous) == Outcomes{"receives sent "});
  CHECK(reachable(program) == Outcomes{"receives sent ", "sent receives "});
  CHECK(reachable(program, litmus::machine(0us)) == Outcomes{"sent receives "});
}
