#include "reachable.hpp"

using namespace orrery;
using litmus::Outcomes;
using litmus::reachable;

TEST_CASE("nobody passes a barrier before all have arrived, phase after phase") {
  const auto program = [](World& world) {
    Barrier barrier(world, 2, "barrier");
    std::string order;
    {
      const auto work = [&] {
        order += '1';
        barrier.arrive_and_wait();
        order += '2';
        barrier.arrive_and_wait();
        order += '3';
      };
      Thread a = world.thread("a", work);
      Thread b = world.thread("b", work);
    }
    return order;
  };
  CHECK(reachable(program) == Outcomes{"112233"});
}

TEST_CASE("those who wait at a barrier leave it in any order") {
  const auto program = [](World& world) {
    Barrier barrier(world, 2, "barrier");
    std::string order;
    {
      const auto work = [&](char letter) {
        barrier.arrive_and_wait();
        order += letter;
      };
      Thread a = world.thread("a", [&] { work('a'); });
      Thread b = world.thread("b", [&] { work('b'); });
    }
    return order;
  };
  CHECK(reachable(program) == Outcomes{"ab", "ba"});
}

TEST_CASE("a barrier with a participant who never comes is a deadlock") {
  const auto program = [](World& world) {
    Barrier barrier(world, 3, "barrier");
    {
      Thread a = world.thread("a", [&] { barrier.arrive_and_wait(); });
      Thread b = world.thread("b", [&] { barrier.arrive_and_wait(); });
    }
    return std::string("passed");
  };
  CHECK(reachable(program) == Outcomes{"deadlock"});
}
