#include "reachable.hpp"

using namespace orrery;
using litmus::Outcomes;
using litmus::reachable;

namespace {

// Three threads that write down their names under a mutex that the main task holds at first.
std::string order_of_waiters(World& world) {
  Mutex mutex(world, "mutex");
  std::string order;
  {
    mutex.lock();
    const auto sign = [&](char letter) {
      std::scoped_lock guard(mutex);
      order += letter;
    };
    Thread a = world.thread("a", [&] { sign('a'); });
    Thread b = world.thread("b", [&] { sign('b'); });
    Thread c = world.thread("c", [&] { sign('c'); });
    world.sleep_for(std::chrono::milliseconds(1));
    mutex.unlock();
  }
  return order;
}

}  // namespace

TEST_CASE("a mutex makes two steps one") {
  const auto program = [](World& world) {
    Shared<int> x(world, 0, "x");
    Mutex mutex(world, "mutex");
    {
      const auto increment = [&] {
        std::scoped_lock guard(mutex);
        x.store(x.load() + 1);
      };
      Thread a = world.thread("a", increment);
      Thread b = world.thread("b", increment);
    }
    return std::to_string(x.unobserved());
  };
  CHECK(reachable(program) == Outcomes{"2"});
}

TEST_CASE("any of three waiters may get a mutex next, even in the timed simulation") {
  const Outcomes all{"abc", "acb", "bac", "bca", "cab", "cba"};
  CHECK(reachable(order_of_waiters, litmus::machine(VirtualDuration::zero())) == all);
}

TEST_CASE("two mutexes taken in opposite order may deadlock, and in the same order never") {
  const auto program = [](World& world, bool same_order) {
    Mutex left(world, "left");
    Mutex right(world, "right");
    const auto take = [](Mutex& first, Mutex& second) {
      std::scoped_lock first_guard(first);
      std::scoped_lock second_guard(second);
    };
    {
      Thread a = world.thread("a", [&] { take(left, right); });
      Thread b = world.thread("b", [&] { same_order ? take(left, right) : take(right, left); });
    }
    return std::string("done");
  };
  CHECK(reachable([&](World& world) { return program(world, false); }) ==
        Outcomes{"deadlock", "done"});
  CHECK(reachable([&](World& world) { return program(world, true); }) == Outcomes{"done"});
}

TEST_CASE("a task that locks a plain mutex twice waits for itself, and a recursive one lets it") {
  const auto program = [](World& world, Mutex::Type type) {
    Mutex mutex(world, "mutex", type);
    mutex.lock();
    mutex.lock();
    mutex.unlock();
    mutex.unlock();
    return std::string("done");
  };
  CHECK(reachable([&](World& world) { return program(world, Mutex::Type::plain); }) ==
        Outcomes{"deadlock"});
  CHECK(reachable([&](World& world) { return program(world, Mutex::Type::recursive); }) ==
        Outcomes{"done"});
}

TEST_CASE("a recursive mutex is free for others only when it was unlocked as often as locked") {
  const auto program = [](World& world) {
    Mutex mutex(world, "mutex", Mutex::Type::recursive);
    std::string order;
    {
      Thread a = world.thread("a", [&] {
        mutex.lock();
        mutex.lock();
        order += "(";
        mutex.unlock();
        order += ")";
        mutex.unlock();
      });
      Thread b = world.thread("b", [&] {
        std::scoped_lock guard(mutex);
        order += "b";
      });
    }
    return order;
  };
  CHECK(reachable(program) == Outcomes{"()b", "b()"});
}

TEST_CASE("try_lock succeeds on a free mutex and fails on a held one") {
  const auto program = [](World& world) {
    Mutex mutex(world, "mutex");
    bool got_it = false;
    {
      Thread holder = world.thread("holder", [&] { std::scoped_lock guard(mutex); });
      Thread trier = world.thread("trier", [&] {
        got_it = mutex.try_lock();
        if (got_it) mutex.unlock();
      });
    }
    return std::string(got_it ? "got it" : "failed");
  };
  CHECK(reachable(program) == Outcomes{"failed", "got it"});
}

TEST_CASE("a timed lock gets a mutex in time, or gives up, as the window allows") {
  using namespace std::chrono_literals;
  const auto program = [](World& world) {
    Mutex mutex(world, "mutex");
    bool got_it = false;
    {
      mutex.lock();
      Thread trier = world.thread("trier", [&] {
        got_it = mutex.try_lock_for(10us);
        if (got_it) mutex.unlock();
      });
      world.sleep_for(12us);
      mutex.unlock();
    }
    return std::string(got_it ? "got it" : "gave up");
  };
  CHECK(reachable(program, litmus::machine(0us)) == Outcomes{"gave up"});
  CHECK(reachable(program, litmus::machine(1us)) == Outcomes{"gave up"});
  CHECK(reachable(program, litmus::machine(5us)) == Outcomes{"gave up", "got it"});
  CHECK(reachable(program) == Outcomes{"gave up", "got it"});
}
