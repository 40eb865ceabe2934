#include <algorithm>
#include <chrono>

#include "reachable.hpp"

using namespace orrery;
using namespace std::chrono_literals;
using litmus::Outcomes;
using litmus::reachable;

TEST_CASE("a semaphore lets in as many tasks as it counts, and no more") {
  const auto program = [](World& world, std::uint64_t slots) {
    Semaphore semaphore(world, slots, "slots");
    Shared<int> x(world, 0, "x");
    int inside = 0;
    int most = 0;
    {
      const auto visit = [&] {
        semaphore.acquire();
        most = std::max(most, ++inside);
        x.load();
        --inside;
        semaphore.release();
      };
      Thread a = world.thread("a", visit);
      Thread b = world.thread("b", visit);
    }
    return std::to_string(most);
  };
  CHECK(reachable([&](World& world) { return program(world, 1); }) == Outcomes{"1"});
  CHECK(reachable([&](World& world) { return program(world, 2); }) == Outcomes{"1", "2"});
  CHECK(reachable([&](World& world) { return program(world, 0); }) == Outcomes{"deadlock"});
}

TEST_CASE("any of the waiters of a semaphore may go on, even in the timed simulation") {
  const auto program = [](World& world, std::uint64_t released) {
    Semaphore semaphore(world, 0, "items");
    std::string order;
    {
      const auto take = [&](char letter) {
        semaphore.acquire();
        order += letter;
      };
      Thread a = world.thread("a", [&] { take('a'); });
      Thread b = world.thread("b", [&] { take('b'); });
      world.sleep_for(1ms);
      semaphore.release(released);
    }
    return order;
  };
  const auto timed = litmus::machine(VirtualDuration::zero());
  CHECK(reachable([&](World& world) { return program(world, 2); }, timed) == Outcomes{"ab", "ba"});
  CHECK(reachable([&](World& world) { return program(world, 1); }, timed) == Outcomes{"deadlock"});
}

TEST_CASE("try_acquire takes what is there and fails where nothing is") {
  const auto program = [](World& world) {
    Semaphore semaphore(world, 0, "items");
    bool got_it = false;
    {
      Thread taker = world.thread("taker", [&] { got_it = semaphore.try_acquire(); });
      semaphore.release();
    }
    return std::string(got_it ? "got it" : "failed");
  };
  CHECK(reachable(program) == Outcomes{"failed", "got it"});
}

TEST_CASE("a timed acquire gives up or not, as the window allows") {
  const auto program = [](World& world) {
    Semaphore semaphore(world, 0, "items");
    bool got_it = false;
    {
      Thread taker = world.thread("taker", [&] { got_it = semaphore.try_acquire_for(10us); });
      world.sleep_for(12us);
      semaphore.release();
    }
    return std::string(got_it ? "got it" : "gave up");
  };
  CHECK(reachable(program, litmus::machine(0us)) == Outcomes{"gave up"});
  CHECK(reachable(program, litmus::machine(5us)) == Outcomes{"gave up", "got it"});
  CHECK(reachable(program) == Outcomes{"gave up", "got it"});
}
