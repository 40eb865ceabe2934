#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include <orrery/explorers/catch2.hpp>

#include "every_strategy.hpp"
#include "reachable.hpp"

using namespace orrery;
using namespace std::chrono_literals;

namespace {

// Every run comes to its end: no finding, and no limit is reached.
void check_ends(const std::vector<std::string>& strategies, const Program& program) {
  for (const std::string& strategy : strategies) {
    for (const VirtualDuration window : {VirtualDuration::zero(), any_order}) {
      ExploreOptions options;
      options.name = "polling";
      options.strategy = strategy;
      options.runs = 500;
      options.keep_going = true;
      options.save_logs = false;
      options.isolate = false;
      options.simulation = litmus::machine(window);
      const Report report = explore(options, program);
      CAPTURE(strategy, window.nanoseconds());
      CHECK_THAT(report, NoFindings());
      CHECK(report.limits.empty());
    }
  }
}

void check_ends_under_every_strategy(const Program& program) {
  check_ends(litmus::every_strategy(), program);
}

}  // namespace

TEST_CASE("a loop that spins on an atomic flag ends under every strategy") {
  check_ends_under_every_strategy([](World& world) {
    Atomic<bool> flag(world, false, "flag");
    Thread spinner = world.thread("spinner", [&] {
      while (!flag.load()) continue;
    });
    Thread setter = world.thread("setter", [&] { flag.store(true); });
  });
}

TEST_CASE(
    "a loop that sleeps between two looks at a flag ends under all strategies that are fair") {
  std::vector<std::string> fair = litmus::every_strategy();
  std::erase_if(fair, [](const std::string& one) { return one.starts_with("exhaustive"); });
  check_ends(fair, [](World& world) {
    Atomic<bool> flag(world, false, "flag");
    Mutex lock(world, "lock");
    Thread poller = world.thread("poller", [&] {
      while (!flag.load()) {
        world.sleep_for(20us);
        const Lock own(lock);
      }
    });
    Thread setter = world.thread("setter", [&] {
      const Lock own(lock);
      flag.store(true);
    });
  });
}

TEST_CASE("a loop that spins on two flags in turn ends under every strategy") {
  check_ends_under_every_strategy([](World& world) {
    Atomic<bool> a(world, false, "a");
    Atomic<bool> b(world, false, "b");
    Thread spinner = world.thread("spinner", [&] {
      while (!a.load() || !b.load()) continue;
    });
    Thread setter_of_b = world.thread("sets b", [&] { b.store(true); });
    Thread setter_of_a = world.thread("sets a", [&] { a.store(true); });
  });
}

TEST_CASE("two loops that spin on one flag end under every strategy") {
  check_ends_under_every_strategy([](World& world) {
    Atomic<bool> flag(world, false, "flag");
    const auto spin = [&] {
      while (!flag.load()) continue;
    };
    Thread a = world.thread("a", spin);
    Thread b = world.thread("b", spin);
    Thread setter = world.thread("setter", [&] { flag.store(true); });
  });
}

TEST_CASE("a loop that claims a spin lock by compare_exchange ends under every strategy") {
  check_ends_under_every_strategy([](World& world) {
    Atomic<bool> is_locked(world, false, "is locked");
    Shared<int> x(world, 0, "x");
    {
      const auto increment = [&] {
        bool expected = false;
        while (!is_locked.compare_exchange(expected, true)) expected = false;
        x.store(x.load() + 1);
        is_locked.store(false);
      };
      Thread a = world.thread("a", increment);
      Thread b = world.thread("b", increment);
    }
    world.check(x.unobserved() == 2);
  });
}

TEST_CASE("a loop that tries to lock a mutex ends under every strategy") {
  check_ends_under_every_strategy([](World& world) {
    Mutex mutex(world, "mutex");
    const auto work = [&] {
      while (!mutex.try_lock()) continue;
      mutex.unlock();
    };
    Thread a = world.thread("a", work);
    Thread b = world.thread("b", work);
  });
}

TEST_CASE("a loop that yields until another thread is done ends under every strategy") {
  check_ends_under_every_strategy([](World& world) {
    bool done = false;
    Thread waiter = world.thread("waiter", [&] {
      while (!done) world.yield();
    });
    Thread worker = world.thread("worker", [&] {
      world.sleep_for(1ms);
      done = true;
    });
  });
}

TEST_CASE("a loop that probes for a message ends under every strategy") {
  check_ends_under_every_strategy([](World& world) {
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 0) {
        comm.send(1, 0, 7);
        return;
      }
      while (!comm.try_probe(0)) continue;
      world.check(comm.receive<int>(0).value == 7);
    });
  });
}

TEST_CASE("a loop that tests a request ends under every strategy") {
  check_ends_under_every_strategy([](World& world) {
    world.ranks(2, [](Communicator& comm) {
      if (comm.rank() == 0) {
        comm.send(1, 0, 7);
        return;
      }
      Request request = comm.start_receive(0);
      while (!request.test()) continue;
    });
  });
}

TEST_CASE("two tasks that poll for each other both come to their end") {
  check_ends_under_every_strategy([](World& world) {
    Atomic<bool> ping(world, false, "ping");
    Atomic<bool> pong(world, false, "pong");
    Thread a = world.thread("a", [&] {
      ping.store(true);
      while (!pong.load()) continue;
    });
    Thread b = world.thread("b", [&] {
      while (!ping.load()) continue;
      pong.store(true);
    });
  });
}

TEST_CASE("a spin loop sees the flag and, before that, may have seen it unset or not") {
  const auto program = [](World& world) {
    Atomic<bool> flag(world, false, "flag");
    bool has_waited = false;
    {
      Thread spinner = world.thread("spinner", [&] {
        while (!flag.load()) has_waited = true;
      });
      flag.store(true);
    }
    return std::string(has_waited ? "waited" : "at once");
  };
  CHECK(litmus::reachable(program) == litmus::Outcomes{"at once", "waited"});
}

TEST_CASE("a lock that is waited for after a poll in vain still keeps others out") {
  check_ends_under_every_strategy([](World& world) {
    Atomic<bool> flag(world, false, "flag");
    Mutex busy(world, "busy"), mutex(world, "mutex");
    busy.lock();
    int inside = 0;
    const auto enter = [&] {
      if (busy.try_lock()) busy.unlock();
      Lock lock(mutex);
      world.check(++inside == 1, "two hold one mutex");
      static_cast<void>(flag.load());
      --inside;
    };
    Thread first = world.thread("first", enter);
    Thread second = world.thread("second", enter);
    first.join();
    second.join();
    busy.unlock();
  });
}

TEST_CASE("a wait with a deadline after a poll in vain ends once, by the lock or by the deadline") {
  check_ends_under_every_strategy([](World& world) {
    Mutex busy(world, "busy"), mutex(world, "mutex");
    busy.lock();
    const auto enter = [&] {
      for (int i = 0; i < 3; ++i) {
        if (busy.try_lock()) busy.unlock();
        if (!mutex.try_lock_for(1us)) continue;
        world.sleep_for(1us);
        mutex.unlock();
      }
    };
    Thread first = world.thread("first", enter);
    Thread second = world.thread("second", enter);
    first.join();
    second.join();
    busy.unlock();
  });
}

TEST_CASE("a loop that looks at a flag under a lock ends under every strategy") {
  for (const VirtualDuration late : {0us, 70us, 1000us}) {
    check_ends_under_every_strategy([late](World& world) {
      bool is_set = false;
      Mutex mutex(world, "mutex");
      Thread looker = world.thread("looker", [&] {
        for (bool seen = false; !seen;) {
          const Lock lock(mutex);
          seen = is_set;
        }
      });
      Thread setter = world.thread("setter", [&] {
        if (late != VirtualDuration::zero()) world.sleep_for(late);
        const Lock lock(mutex);
        is_set = true;
      });
    });
  }
}

TEST_CASE("two loops that look at a flag under a lock let a message come under every strategy") {
  check_ends_under_every_strategy([](World& world) {
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 0) return comm.send(1, 0, 7);
      bool is_set = false;
      RwLock lock(world, "lock");
      const auto look = [&] {
        for (bool seen = false; !seen;) {
          lock.lock_shared();
          seen = is_set;
          lock.unlock_shared();
        }
      };
      Thread first = world.thread("first", look);
      Thread second = world.thread("second", look);
      world.check(comm.receive<int>(0).value == 7);
      lock.lock();
      is_set = true;
      lock.unlock();
    });
  });
}
