#include <shared_mutex>

#include "reachable.hpp"

using namespace orrery;
using litmus::Outcomes;
using litmus::reachable;

TEST_CASE("two readers may be inside a lock at once") {
  const auto program = [](World& world) {
    RwLock lock(world, "lock");
    Shared<int> x(world, 0, "x");
    std::string order;
    {
      const auto read = [&] {
        std::shared_lock guard(lock);
        order += "(";
        x.load();
        order += ")";
      };
      Thread a = world.thread("a", read);
      Thread b = world.thread("b", read);
    }
    return order;
  };
  CHECK(reachable(program) == Outcomes{"(())", "()()"});
}

TEST_CASE("a writer is alone inside a lock") {
  const auto program = [](World& world) {
    RwLock lock(world, "lock");
    Shared<int> x(world, 0, "x");
    std::string seen;
    {
      Thread writer = world.thread("writer", [&] {
        std::unique_lock guard(lock);
        x.store(1);
        x.store(2);
      });
      Thread reader = world.thread("reader", [&] {
        std::shared_lock guard(lock);
        seen = std::to_string(x.load());
      });
    }
    return seen;
  };
  CHECK(reachable(program) == Outcomes{"0", "2"});
}

TEST_CASE("a reader that wants to become the writer waits for itself") {
  const auto program = [](World& world) {
    RwLock lock(world, "lock");
    {
      const auto upgrade = [&] {
        lock.lock_shared();
        lock.lock();
        lock.unlock();
        lock.unlock_shared();
      };
      Thread a = world.thread("a", upgrade);
    }
    return std::string("done");
  };
  CHECK(reachable(program) == Outcomes{"deadlock"});
}

TEST_CASE("try_lock and try_lock_shared fail only where the lock is taken") {
  const auto program = [](World& world) {
    RwLock lock(world, "lock");
    std::string got;
    {
      std::shared_lock guard(lock);
      if (lock.try_lock_shared()) {
        got += "shared ";
        lock.unlock_shared();
      }
      if (lock.try_lock()) got += "alone";
    }
    return got;
  };
  CHECK(reachable(program) == Outcomes{"shared "});
}
