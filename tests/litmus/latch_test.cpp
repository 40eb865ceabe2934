#include "reachable.hpp"

using namespace orrery;
using litmus::Outcomes;
using litmus::reachable;

TEST_CASE("who waits for a latch sees what was done before each count") {
  const auto program = [](World& world) {
    Latch latch(world, 2, "latch");
    int done = 0;
    int seen = -1;
    {
      const auto work = [&] {
        ++done;
        latch.count_down();
      };
      Thread a = world.thread("a", work);
      Thread b = world.thread("b", work);
      latch.wait();
      seen = done;
    }
    return std::to_string(seen);
  };
  CHECK(reachable(program) == Outcomes{"2"});
}

TEST_CASE("a latch stays open, and one that is not counted down is a deadlock") {
  const auto program = [](World& world, std::uint64_t count) {
    Latch latch(world, count, "latch");
    latch.count_down();
    latch.wait();
    latch.wait();
    return std::string("passed");
  };
  CHECK(reachable([&](World& world) { return program(world, 1); }) == Outcomes{"passed"});
  CHECK(reachable([&](World& world) { return program(world, 2); }) == Outcomes{"deadlock"});
}
