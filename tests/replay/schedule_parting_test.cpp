// Replays of a program that has changed since, and of logs that end early.
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/determinism.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "replay/keyed_chooser.hpp"

namespace orrery {
namespace {

SimulationOptions any_order_machine() {
  SimulationOptions options;
  options.window = any_order;
  return options;
}

Schedule record(const Program& program, std::uint64_t seed = 1) {
  ScheduleRecorder recorder;
  test::KeyedChooser chooser(seed);
  Simulation simulation(any_order_machine());
  Observer* const observers[] = {&recorder};
  simulation.run(program, chooser, observers);
  return recorder.schedule();
}

struct Replay {
  Outcome outcome;
  std::optional<Parting> parted;
  bool is_used_up = false;
  std::uint64_t steps_beyond = 0;
};

Replay replay(const Program& program, const Schedule& schedule, ReplayMode mode) {
  UndisturbedChooser fallback;
  ScheduleReplayer replayer(schedule, fallback, mode);
  Simulation simulation(any_order_machine());
  const Outcome outcome = replayer.judge(simulation.run(program, replayer));
  return {outcome, replayer.parted(), replayer.is_used_up(), replayer.steps_beyond()};
}

/// Two tasks that take a mutex `locks` times; the second one may do something else instead.
Program workers(int locks, int locks_of_second, bool second_draws = false) {
  return [=](World& world) {
    Mutex mutex(world, "m");
    const auto work = [&](int times) {
      for (int i = 0; i < times; ++i) std::scoped_lock guard(mutex);
    };
    const Thread first = world.thread("first", [&] { work(locks); });
    const Thread second = world.thread("second", [&] {
      work(locks_of_second);
      if (second_draws) static_cast<void>(world.random().between(0, 9));
    });
  };
}

void check_parting(const Replay& run, const std::string& expected, const std::string& came) {
  REQUIRE(run.parted);
  CHECK_THAT(run.parted->message, Catch::Contains(expected) && Catch::Contains(came));
  REQUIRE(run.outcome.findings.size() == 1);
  CHECK(run.outcome.findings[0].kind == FindingKind::divergence);
  CHECK(run.outcome.findings[0].message == run.parted->message);
}

}  // namespace

TEST_CASE("a strict replay stops where another operation comes, and says which and where") {
  const Schedule schedule = record(workers(2, 2));
  const Replay run = replay(
      [](World& world) {
        Mutex mutex(world, "m");
        Shared<int> value(world, 0, "v");
        const Thread first = world.thread("first", [&] {
          for (int i = 0; i < 2; ++i) std::scoped_lock guard(mutex);
        });
        const Thread second = world.thread("second", [&] { value.store(1); });
      },
      schedule, ReplayMode::strict);
  check_parting(run, "expected operation 2 of second, mutex_lock on mutex m",
                "came operation 2 of second, write on variable v");
  CHECK_THAT(run.parted->where.file, Catch::EndsWith("schedule_parting_test.cpp"));
  CHECK(run.parted->where.line != 0);
  CHECK(run.parted->where.task == "second");
}

TEST_CASE("a strict replay says when a task ends earlier than in its log") {
  const Replay run = replay(workers(2, 1), record(workers(2, 2)), ReplayMode::strict);
  check_parting(run, "of second, mutex_lock on mutex m", "came");
  CHECK_FALSE(run.is_used_up);
}

TEST_CASE("a strict replay says when a draw comes that its log does not have") {
  Schedule schedule = record(workers(1, 1, true));
  std::erase_if(schedule.entries, [](const ScheduleEntry& entry) {
    return entry.type == ScheduleEntry::Type::value;
  });
  check_parting(replay(workers(1, 1, true), schedule, ReplayMode::strict), "expected operation",
                "came a draw by second between 0 and 9");
}

TEST_CASE("a best-effort replay goes on after the parting and says where it was") {
  for (const int locks : {0, 1, 3, 5}) {
    const Replay run =
        replay(workers(2, locks, true), record(workers(2, 2, true)), ReplayMode::best_effort);
    INFO("second locks " << locks << " times");
    CHECK(run.outcome.is_clean());
    REQUIRE(run.parted);
    CHECK_THAT(run.parted->message, Catch::Contains("expected") && Catch::Contains("second"));
    CHECK(run.steps_beyond > 0);
  }
}

TEST_CASE("a schedule that ends early is followed by the fallback, and the replay says so") {
  Schedule schedule = record(workers(3, 3));
  const std::size_t whole = schedule.entries.size();
  for (std::size_t size = 0; size < whole; ++size) {
    Schedule beginning = schedule;
    beginning.entries.resize(size);
    const Replay run = replay(workers(3, 3), beginning, ReplayMode::strict);
    INFO("the first " << size << " of " << whole);
    CHECK(run.outcome.is_clean());
    CHECK_FALSE(run.parted);
    CHECK(run.is_used_up);
    CHECK(run.steps_beyond > 0);
  }
}

TEST_CASE("a program that depends on its choices alone passes the check of determinism") {
  const Program program = workers(3, 2, true);
  Simulation simulation(any_order_machine());
  CHECK_FALSE(check_determinism(simulation, program, record(program)));
}

TEST_CASE("a program that keeps something from run to run fails the check of determinism") {
  int runs = 0;
  const Program program = [&runs](World& world) {
    Shared<int> value(world, 0, "v");
    const Thread writer = world.thread("writer", [&] { value.store(++runs); });
  };
  Simulation simulation(any_order_machine());
  const auto finding = check_determinism(simulation, program, record(program));
  REQUIRE(finding);
  CHECK(finding->kind == FindingKind::divergence);
  CHECK_THAT(finding->message, Catch::Contains("write on variable v"));
  REQUIRE(finding->where.size() == 1);
  CHECK(finding->where[0].task == "writer");
  CHECK_THAT(finding->where[0].file, Catch::EndsWith("schedule_parting_test.cpp"));
}

}  // namespace orrery
