// A run as text.
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/replay_core/timeline.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery {
namespace {

/// Takes another alternative than the undisturbed one at every question.
class Other final : public Chooser {
 public:
  Decision choose(const ChoicePoint& point) override {
    return Decision::take((point.default_index() + 1) % point.alternatives.size());
  }
};

std::string timeline_of(const Program& program, Chooser& chooser, TimelineOptions options = {}) {
  Timeline timeline(options);
  SimulationOptions machine;
  machine.window = any_order;
  Simulation simulation(machine);
  Observer* const observers[] = {&timeline};
  simulation.run(program, chooser, observers);
  return timeline.text();
}

void ping(World& world) {
  world.ranks(2, [](Communicator& comm) {
    if (comm.rank() == 0) comm.send(1, 7, 42);
    if (comm.rank() == 1) check(comm.receive<int>(0, 7).value == 43, "another number");
  });
}

}  // namespace

TEST_CASE("a timeline says who does what, when and where, and the finding at the end") {
  UndisturbedChooser chooser;
  const std::string text = timeline_of(ping, chooser);
  CHECK_THAT(text, Catch::Contains("0.000 us") && Catch::Contains("rank 0") &&
                       Catch::Contains("sends tag 7 to rank 1 (4 bytes)") &&
                       Catch::Contains("timeline_test.cpp:") &&
                       Catch::Contains("a message with tag 7 reaches rank 1 (4 bytes)") &&
                       Catch::Contains("receives tag 7 from rank 0 (4 bytes)") &&
                       Catch::Contains("assertion: another number"));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find(">>") == std::string::npos);
  CHECK(timeline_of(ping, chooser) == text);
}

TEST_CASE("a timeline marks interruptions, and colours them where that is asked for") {
  const Program program = [](World& world) {
    Mutex mutex(world, "m");
    const auto work = [&] {
      mutex.lock();
      mutex.unlock();
    };
    const Thread first = world.thread("first", work);
    const Thread second = world.thread("second", work);
  };
  Other chooser;
  const std::string text = timeline_of(program, chooser);
  CHECK_THAT(text, Catch::Contains(">> root is interrupted: first goes first") &&
                       Catch::Contains("locks mutex m") && Catch::Contains("unlocks mutex m"));
  TimelineOptions colors;
  colors.color = true;
  CHECK_THAT(timeline_of(program, chooser, colors), Catch::Contains("\x1b[33m>>"));
}

TEST_CASE("a timeline of a long run leaves out its middle and says so") {
  const Program program = [](World& world) {
    Shared<int> value(world, 0, "v");
    for (int i = 0; i < 1000; ++i) value.store(i);
  };
  UndisturbedChooser chooser;
  TimelineOptions short_text;
  short_text.lines_max = 20;
  const std::string text = timeline_of(program, chooser, short_text);
  CHECK(std::count(text.begin(), text.end(), '\n') ==
        22);  // a heading, twenty lines, and what is left out
  CHECK_THAT(text, Catch::Contains("writes 0 to variable v") &&
                       Catch::Contains("lines are left out") &&
                       Catch::Contains("writes 999 to variable v"));
}

}  // namespace orrery
