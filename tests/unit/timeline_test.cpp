// A run as text.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
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

/// Interrupts whoever runs at one step.
class InterruptOnce final : public Chooser {
 public:
  explicit InterruptOnce(std::uint64_t step) : step_(step) {}
  Decision choose(const ChoicePoint& point) override {
    const std::size_t index = point.default_index();
    if (!point.current_is_enabled || point.step < step_ || is_done_) return Decision::take(index);
    is_done_ = true;
    return Decision::take((index + 1) % point.alternatives.size());
  }

 private:
  std::uint64_t step_;
  bool is_done_ = false;
};

std::string timeline_of(const Program& program, Chooser& chooser, TimelineOptions options = {},
                        Observer* beside = nullptr) {
  Timeline timeline(options);
  SimulationOptions machine;
  machine.window = any_order;
  Simulation simulation(machine);
  std::vector<Observer*> observers{&timeline};
  if (beside != nullptr) observers.push_back(beside);
  simulation.run(program, chooser, observers);
  return timeline.text();
}

/// Two tasks that write to a variable so often.
Program writers(int writes) {
  return [writes](World& world) {
    Shared<int> value(world, 0, "v");
    const auto work = [&value, writes] {
      for (int i = 0; i < writes; ++i) value.store(i);
    };
    const Thread first = world.thread("first", work);
    const Thread second = world.thread("second", work);
  };
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

TEST_CASE("a strict replay, which is never asked, marks who is interrupted, and where") {
  InterruptOnce chooser(8);
  ScheduleRecorder recorder;
  const std::string text = timeline_of(writers(5), chooser, {}, &recorder);
  const std::size_t mark = text.find(">> ");
  REQUIRE(mark != std::string::npos);
  CHECK(text.find(">> ", mark + 1) == std::string::npos);
  CHECK_THAT(text.substr(mark, text.find('\n', mark) - mark),
             Catch::StartsWith(">> first is interrupted: second goes first ") &&
                 Catch::Contains("timeline_test.cpp:"));

  UndisturbedChooser rest;
  const Schedule schedule = recorder.schedule();
  ScheduleReplayer replayer(schedule, rest, ReplayMode::strict);
  CHECK(timeline_of(writers(5), replayer) == text);
}

TEST_CASE("a timeline keeps the marks of what it leaves out, each with what came then") {
  TimelineOptions short_text;
  short_text.lines_max = 20;
  InterruptOnce chooser(300);
  const std::string text = timeline_of(writers(500), chooser, short_text);
  const std::size_t mark = text.find(">> first is interrupted: second goes first");
  REQUIRE(mark != std::string::npos);
  const std::size_t next = text.find('\n', mark) + 1;
  CHECK_THAT(text.substr(next, text.find('\n', next) - next), Catch::Contains("second"));
  const std::size_t before = text.find("lines are left out");
  CHECK(before < mark);
  CHECK(text.find("lines are left out", mark) != std::string::npos);
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
