#include <chrono>
#include <mutex>

#include "reachable.hpp"

using namespace orrery;
using namespace std::chrono_literals;
using litmus::Outcomes;
using litmus::reachable;

namespace {

// Two sleepers, and then so many notifications of one.
std::string wake_one(World& world, int notifications) {
  Mutex mutex(world, "mutex");
  ConditionVariable changed(world, "changed");
  int asleep = 0;
  std::string order;
  {
    const auto sleep = [&](char letter) {
      std::unique_lock lock(mutex);
      ++asleep;
      changed.wait(lock);
      order += letter;
    };
    Thread a = world.thread("a", [&] { sleep('a'); });
    Thread b = world.thread("b", [&] { sleep('b'); });
    world.sleep_for(1ms);
    std::scoped_lock lock(mutex);
    world.check(asleep == 2);
    for (int sent = 0; sent < notifications; ++sent) changed.notify_one();
  }
  return order;
}

}  // namespace

TEST_CASE("notify_one wakes either of two sleepers, and only one") {
  const auto timed = litmus::machine(VirtualDuration::zero());
  CHECK(reachable([](World& world) { return wake_one(world, 1); }, timed) == Outcomes{"deadlock"});
  CHECK(reachable([](World& world) { return wake_one(world, 2); }, timed) == Outcomes{"ab", "ba"});
}

TEST_CASE("notify_all wakes both of two sleepers, in any order") {
  const auto program = [](World& world) {
    Mutex mutex(world, "mutex");
    ConditionVariable changed(world, "changed");
    bool is_open = false;
    std::string order;
    {
      const auto pass = [&](char letter) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return is_open; });
        order += letter;
      };
      Thread a = world.thread("a", [&] { pass('a'); });
      Thread b = world.thread("b", [&] { pass('b'); });
      std::scoped_lock lock(mutex);
      is_open = true;
      changed.notify_all();
    }
    return order;
  };
  CHECK(reachable(program) == Outcomes{"ab", "ba"});
}

TEST_CASE("a notification that nobody waits for is lost") {
  const auto program = [](World& world) {
    Mutex mutex(world, "mutex");
    ConditionVariable changed(world, "changed");
    {
      Thread sleeper = world.thread("sleeper", [&] {
        std::unique_lock lock(mutex);
        changed.wait(lock);
      });
      changed.notify_one();
    }
    return std::string("woken");
  };
  CHECK(reachable(program) == Outcomes{"deadlock", "woken"});
}

TEST_CASE("a sleeper gives up the mutex and has it again when it wakes") {
  const auto program = [](World& world) {
    Mutex mutex(world, "mutex");
    ConditionVariable changed(world, "changed");
    Shared<int> x(world, 0, "x");
    bool is_open = false;
    std::string order;
    {
      Thread sleeper = world.thread("sleeper", [&] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return is_open; });
        order += "woken ";
      });
      std::scoped_lock lock(mutex);
      is_open = true;
      changed.notify_one();
      x.load();
      order += "unlocks ";
    }
    return order;
  };
  CHECK(reachable(program) == Outcomes{"unlocks woken "});
}

TEST_CASE("a timed wait ends by its deadline or by the notification, as the window allows") {
  const auto program = [](World& world) {
    Mutex mutex(world, "mutex");
    ConditionVariable changed(world, "changed");
    std::string result;
    {
      Thread sleeper = world.thread("sleeper", [&] {
        std::unique_lock lock(mutex);
        const auto status = changed.wait_for(lock, 10us);
        result = status == std::cv_status::timeout ? "timeout" : "notified";
      });
      world.sleep_for(12us);
      changed.notify_one();
    }
    return result;
  };
  CHECK(reachable(program, litmus::machine(0us)) == Outcomes{"timeout"});
  CHECK(reachable(program, litmus::machine(5us)) == Outcomes{"notified", "timeout"});
  CHECK(reachable(program) == Outcomes{"notified", "timeout"});
}

namespace {

/// What a sleeper sees that may wake by itself, and is notified or is not.
std::string see_open(World& world, bool is_notified) {
  Mutex mutex(world, "mutex");
  ConditionVariable changed(world, "changed");
  bool is_open = false;
  std::string seen;
  {
    Thread sleeper = world.thread("sleeper", [&] {
      std::unique_lock lock(mutex);
      if (!is_open) changed.wait(lock);
      seen = is_open ? "open" : "closed";
    });
    std::scoped_lock lock(mutex);
    is_open = true;
    if (is_notified) changed.notify_one();
  }
  return seen;
}

SimulationOptions with_spurious_wakeups() {
  SimulationOptions options = litmus::machine();
  options.spurious_wakeups = true;
  return options;
}

}  // namespace

TEST_CASE("who was not notified may wake by itself, but nobody can count on that") {
  const auto program = [](World& world) { return see_open(world, /*is_notified=*/false); };
  CHECK(reachable(program, with_spurious_wakeups()) == Outcomes{"closed", "deadlock", "open"});
}

TEST_CASE("spurious wake-ups happen only where they are asked for") {
  const auto program = [](World& world) { return see_open(world, /*is_notified=*/true); };
  CHECK(reachable(program) == Outcomes{"open"});
  CHECK(reachable(program, with_spurious_wakeups()) == Outcomes{"closed", "open"});
}

TEST_CASE("who wakes by itself and sleeps again does not keep a later date from coming") {
  const auto program = [](World& world) {
    Mutex mutex(world, "mutex");
    ConditionVariable changed(world, "changed");
    bool is_open = false;
    Thread sleeper = world.thread("sleeper", [&] {
      std::unique_lock lock(mutex);
      while (!is_open) changed.wait(lock);
    });
    world.sleep_for(1ms);
    std::scoped_lock lock(mutex);
    is_open = true;
    changed.notify_one();
  };
  for (const VirtualDuration window : {VirtualDuration::zero(), VirtualDuration(20us)}) {
    ExploreOptions search;
    search.name = "litmus";
    search.simulation = litmus::machine(window);
    search.simulation.spurious_wakeups = true;
    search.runs = 200;
    search.isolate = false;
    const Report report = explore(search, program);
    INFO(text(report));
    CHECK(report.findings.empty());
    CHECK(report.limits.empty());
  }
}
