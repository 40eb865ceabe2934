#include "reachable.hpp"

using namespace orrery;
using litmus::Outcomes;
using litmus::reachable;

TEST_CASE("two increments of a plain variable give 1 or 2") {
  const auto program = [](World& world) {
    Shared<int> x(world, 0, "x");
    {
      const auto increment = [&] { x.store(x.load() + 1); };
      Thread a = world.thread("a", increment);
      Thread b = world.thread("b", increment);
    }
    return std::to_string(x.unobserved());
  };
  CHECK(reachable(program) == Outcomes{"1", "2"});
}

TEST_CASE("three increments of a plain variable give 1, 2 or 3") {
  const auto program = [](World& world) {
    Shared<int> x(world, 0, "x");
    const auto increment = [&] { x.store(x.load() + 1); };
    {
      Thread a = world.thread("a", increment);
      Thread b = world.thread("b", increment);
      increment();
    }
    return std::to_string(x.unobserved());
  };
  CHECK(reachable(program) == Outcomes{"1", "2", "3"});
}

TEST_CASE("two increments of an atomic variable give 2") {
  const auto program = [](World& world) {
    Atomic<int> x(world, 0, "x");
    {
      Thread a = world.thread("a", [&] { x.fetch_add(1); });
      Thread b = world.thread("b", [&] { x.fetch_add(1); });
    }
    return std::to_string(x.load());
  };
  CHECK(reachable(program) == Outcomes{"2"});
}

TEST_CASE("an atomic load and store around an increment lose it as plain ones do") {
  const auto program = [](World& world) {
    Atomic<int> x(world, 0, "x");
    {
      const auto increment = [&] { x.store(x.load() + 1); };
      Thread a = world.thread("a", increment);
      Thread b = world.thread("b", increment);
    }
    return std::to_string(x.load());
  };
  CHECK(reachable(program) == Outcomes{"1", "2"});
}

TEST_CASE("store buffering: under sequential consistency not both threads read the old value") {
  const auto program = [](World& world) {
    Atomic<int> x(world, 0, "x");
    Atomic<int> y(world, 0, "y");
    int seen_by_a = -1;
    int seen_by_b = -1;
    {
      Thread a = world.thread("a", [&] {
        x.store(1);
        seen_by_a = y.load();
      });
      Thread b = world.thread("b", [&] {
        y.store(1);
        seen_by_b = x.load();
      });
    }
    return std::to_string(seen_by_a) + std::to_string(seen_by_b);
  };
  CHECK(reachable(program) == Outcomes{"01", "10", "11"});
}

TEST_CASE("load buffering: under sequential consistency not both threads read the new value") {
  const auto program = [](World& world) {
    Atomic<int> x(world, 0, "x");
    Atomic<int> y(world, 0, "y");
    int seen_by_a = -1;
    int seen_by_b = -1;
    {
      Thread a = world.thread("a", [&] {
        seen_by_a = x.load();
        y.store(1);
      });
      Thread b = world.thread("b", [&] {
        seen_by_b = y.load();
        x.store(1);
      });
    }
    return std::to_string(seen_by_a) + std::to_string(seen_by_b);
  };
  CHECK(reachable(program) == Outcomes{"00", "01", "10"});
}

TEST_CASE("message passing: who sees the flag sees the data that was written before it") {
  const auto program = [](World& world) {
    Shared<int> data(world, 0, "data");
    Atomic<int> flag(world, 0, "flag");
    std::string seen;
    {
      Thread writer = world.thread("writer", [&] {
        data.store(1);
        flag.store(1);
      });
      Thread reader = world.thread("reader", [&] {
        seen = std::to_string(flag.load());
        seen += std::to_string(data.load());
      });
    }
    return seen;
  };
  CHECK(reachable(program) == Outcomes{"00", "01", "11"});
}

TEST_CASE("of two tasks that compare_exchange from the same value exactly one wins") {
  const auto program = [](World& world) {
    Atomic<int> owner(world, 0, "owner");
    bool a_won = false;
    bool b_won = false;
    const auto claim = [&](int self) {
      int nobody = 0;
      return owner.compare_exchange(nobody, self);
    };
    {
      Thread a = world.thread("a", [&] { a_won = claim(1); });
      Thread b = world.thread("b", [&] { b_won = claim(2); });
    }
    return std::string(a_won ? "a" : "") + (b_won ? "b" : "") + std::to_string(owner.load());
  };
  CHECK(reachable(program) == Outcomes{"a1", "b2"});
}

TEST_CASE("two exchanges of one variable see each other in one order or the other") {
  const auto program = [](World& world) {
    Atomic<int> x(world, 0, "x");
    int seen_by_a = -1;
    int seen_by_b = -1;
    {
      Thread a = world.thread("a", [&] { seen_by_a = x.exchange(1); });
      Thread b = world.thread("b", [&] { seen_by_b = x.exchange(2); });
    }
    return std::to_string(seen_by_a) + std::to_string(seen_by_b) + std::to_string(x.load());
  };
  CHECK(reachable(program) == Outcomes{"012", "201"});
}

TEST_CASE("draws give every value in their range and no other") {
  const auto program = [](World& world) {
    const auto first = world.random().between(3, 5);
    const bool second = world.random().chance(1, 1'000'000);
    return std::to_string(first) + (second ? "yes" : "no");
  };
  CHECK(reachable(program) == Outcomes{"3no", "3yes", "4no", "4yes", "5no", "5yes"});
}
