#include <stdexcept>

#include "reachable.hpp"

using namespace orrery;
using litmus::Outcomes;
using litmus::reachable;

TEST_CASE("a once flag runs one of two functions, and the other caller waits until it is done") {
  const auto program = [](World& world) {
    OnceFlag once(world, "once");
    Shared<int> x(world, 0, "x");
    std::string made_by;
    std::string seen;
    {
      const auto use = [&](char letter) {
        once.call([&] {
          x.store(1);
          x.store(2);
          made_by += letter;
        });
        seen += std::to_string(x.load());
      };
      Thread a = world.thread("a", [&] { use('a'); });
      Thread b = world.thread("b", [&] { use('b'); });
    }
    return made_by + seen;
  };
  CHECK(reachable(program) == Outcomes{"a22", "b22"});
}

TEST_CASE("a once flag whose function has thrown lets the next caller try") {
  const auto program = [](World& world) {
    OnceFlag once(world, "once");
    std::string order;
    {
      const auto use = [&](char letter, bool fails) {
        try {
          once.call([&] {
            order += letter;
            if (fails) throw std::runtime_error("not this time");
          });
        } catch (const std::runtime_error&) {
          order += '!';
        }
      };
      Thread a = world.thread("a", [&] { use('a', true); });
      Thread b = world.thread("b", [&] { use('b', false); });
    }
    return order;
  };
  // If b comes first, a has nothing left to do.
  CHECK(reachable(program) == Outcomes{"a!b", "b"});
}
