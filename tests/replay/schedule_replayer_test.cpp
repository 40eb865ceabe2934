// Record, then replay under another seed, window and network: the same run, event by event.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/scenarios/scenarios.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "replay/keyed_chooser.hpp"
#include "replay/seen_run.hpp"

namespace orrery {
namespace {

using test::SeenRun;

SeenRun record(const Program& program, const SimulationOptions& options, Chooser& chooser) {
  Simulation simulation(options);
  return test::watch(simulation, program, chooser);
}

SeenRun replay(const Program& program, const SimulationOptions& options, const Schedule& schedule) {
  UndisturbedChooser fallback;
  ScheduleReplayer replayer(schedule, fallback);
  SeenRun run = record(program, options, replayer);
  INFO((replayer.parted() ? replayer.parted()->message : ""));
  CHECK_FALSE(replayer.parted());
  CHECK(replayer.is_used_up());
  CHECK(replayer.steps_beyond() == 0);
  run.outcome = replayer.judge(std::move(run.outcome));
  return run;
}

void check_same(const SeenRun& recorded, const SeenRun& replayed) {
  CHECK(replayed.schedule == recorded.schedule);
  const auto difference = first_difference(recorded.events, replayed.events);
  CHECK_FALSE(difference.has_value());
  CHECK(replayed.outcome.steps == recorded.outcome.steps);
  REQUIRE(replayed.outcome.findings.size() == recorded.outcome.findings.size());
  for (std::size_t i = 0; i < recorded.outcome.findings.size(); ++i) {
    CHECK(replayed.outcome.findings[i].is_same_as(recorded.outcome.findings[i]));
  }
}

/// Other machines than `options`: another seed, window, network, and all of them at once.
std::vector<SimulationOptions> other_machines(const SimulationOptions& options) {
  std::vector<SimulationOptions> machines(6, options);
  machines[1].seed = 99;
  machines[1].run_index = 7;
  machines[2].window = VirtualDuration::zero();
  machines[3].window = any_order;
  machines[4].window = std::chrono::microseconds(20);
  machines[5].window = VirtualDuration::zero();
  machines[5].seed = 5;
  machines[5].network = [] {
    const LinkSpeed slow{std::chrono::milliseconds(3), 1'000'000};
    return std::make_unique<ConstantNetwork>(64, slow, slow);
  };
  return machines;
}

}  // namespace

TEST_CASE("a recorded run of any scenario replays on other machines as the same run") {
  for (const auto& scenario : scenarios::scenario_table()) {
    for (const Program* program : {&scenario.program, &scenario.mended}) {
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        test::KeyedChooser chooser(seed);
        const SeenRun recorded = record(*program, scenario.options, chooser);
        for (const SimulationOptions& machine : other_machines(scenario.options)) {
          INFO(scenario.name << " seed " << seed << " window " << machine.window.picoseconds());
          check_same(recorded, replay(*program, machine, recorded.schedule));
        }
      }
    }
  }
}

namespace {

/// What each of three ranks reads off its clocks, and does about it.
Program clock_program(std::vector<std::int64_t>& dates) {
  return [&dates](World& world) {
    world.ranks(3, [&dates, &world](Communicator& comm) {
      const VirtualTime begin = world.now();
      for (int i = 0; i < 4; ++i) {
        comm.send((comm.rank() + 1) % 3, 0, i);
        static_cast<void>(comm.receive<int>());
        dates.push_back(world.now().picoseconds());
        dates.push_back(this_task::clock::now().time_since_epoch().count());
        if (dates.back() % 2'000 == 0) world.yield();
      }
      world.sleep_until(begin + std::chrono::milliseconds(2));
      dates.push_back(world.now().picoseconds());
    });
  };
}

}  // namespace

TEST_CASE("dates that are read off a clock are those of the recorded run") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    std::vector<std::int64_t> then;
    test::KeyedChooser chooser(seed);
    SimulationOptions options;
    options.seed = seed;
    const SeenRun recorded = record(clock_program(then), options, chooser);
    REQUIRE(then.size() == 27);
    for (const SimulationOptions& machine : other_machines(options)) {
      std::vector<std::int64_t> now;
      INFO("seed " << seed << " window " << machine.window.picoseconds());
      check_same(recorded, replay(clock_program(now), machine, recorded.schedule));
      CHECK(now == then);
    }
  }
}

TEST_CASE("a schedule without any dates replays with those of its machine") {
  std::vector<std::int64_t> then;
  test::KeyedChooser chooser(1);
  const Program program = [&then](World& world) {
    world.sleep_for(std::chrono::milliseconds(1));
    then.push_back(world.now().picoseconds());
  };
  Schedule schedule = record(program, {}, chooser).schedule;
  CHECK(std::erase_if(schedule.entries, [](const auto& entry) { return entry.is_clock(); }) == 1);
  replay(program, {}, schedule);
  CHECK(then == std::vector<std::int64_t>(2, 1'000'000'000));
}

TEST_CASE("a program that reads a clock less or more often than its log parts from it") {
  int reads = 2;
  const Program program = [&reads](World& world) {
    for (int i = 0; i < reads; ++i) static_cast<void>(world.now());
    world.yield();
    static_cast<void>(world.now());
  };
  test::KeyedChooser chooser(1);
  const Schedule schedule = record(program, {}, chooser).schedule;
  for (const int others : {1, 3}) {
    reads = others;
    UndisturbedChooser fallback;
    ScheduleReplayer replayer(schedule, fallback);
    const Outcome outcome = replayer.judge(record(program, {}, replayer).outcome);
    REQUIRE(outcome.findings.size() == 1);
    CHECK(outcome.findings[0].kind == FindingKind::divergence);
    CHECK(outcome.findings[0].message.find("a look at the clock by") != std::string::npos);
  }
}

}  // namespace orrery
