#include <catch2/catch.hpp>

#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

struct Ticker {
  int ticks = 0;
  Program program = [this](World& world) {
    ticks = 0;
    for (int i = 0; i < 10; ++i) {
      world.sleep_for(1ms);
      ++ticks;
    }
  };
};

}  // namespace

TEST_CASE("a run goes up to a date and stands still there") {
  Ticker ticker;
  UndisturbedChooser chooser;
  Simulation simulation({});
  simulation.start(ticker.program, chooser);
  CHECK(simulation.clock().run_until(3500us));
  CHECK(ticker.ticks == 3);
  CHECK(simulation.clock().now() == VirtualTime::start() + 3ms);
  CHECK(simulation.clock().run_until(5ms));
  CHECK(ticker.ticks == 5);
  CHECK(simulation.finish().is_clean());
  CHECK(ticker.ticks == 10);
}

TEST_CASE("a step is one step") {
  Ticker ticker;
  UndisturbedChooser chooser;
  Simulation simulation({});
  simulation.start(ticker.program, chooser);
  for (std::uint64_t i = 1; i <= 5; ++i) {
    CHECK(simulation.clock().step());
    CHECK(simulation.clock().steps() == i);
  }
  CHECK(ticker.ticks == 4);
  CHECK(simulation.finish().steps == 11);
}

TEST_CASE("a run goes on until a condition holds, and says when it never did") {
  Ticker ticker;
  UndisturbedChooser chooser;
  Simulation simulation({});
  simulation.start(ticker.program, chooser);
  CHECK(simulation.clock().run_until([&] { return ticker.ticks == 7; }));
  CHECK(ticker.ticks == 7);
  CHECK_FALSE(simulation.clock().run_until([] { return false; }));
  CHECK(simulation.clock().ended());
  CHECK(simulation.finish().is_clean());
}

TEST_CASE("a program can ask for a pause from inside") {
  UndisturbedChooser chooser;
  Simulation simulation({});
  bool went_on = false;
  simulation.start(
      [&](World& world) {
        world.sleep_for(1ms);
        simulation.clock().pause();
        world.sleep_for(1ms);
        went_on = true;
      },
      chooser);
  CHECK(simulation.clock().run_until(VirtualTime::never()));
  CHECK(simulation.clock().now() == VirtualTime::start() + 1ms);
  CHECK_FALSE(went_on);
  CHECK(simulation.finish().is_clean());
  CHECK(went_on);
}

TEST_CASE("this_task's clock shows the virtual time") {
  UndisturbedChooser chooser;
  Simulation simulation({});
  std::chrono::nanoseconds slept{};
  simulation.run(
      [&](World&) {
        const auto before = this_task::clock::now();
        this_task::sleep_for(42us);
        slept =
            std::chrono::duration_cast<std::chrono::nanoseconds>(this_task::clock::now() - before);
      },
      chooser);
  CHECK(slept == 42us);
}
