// Record, then replay under another seed, window and network: the same run, event by event.
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/replay_core/event_stream.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/scenarios/scenarios.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "replay/keyed_chooser.hpp"

namespace orrery {
namespace {

struct RecordedRun {
  Schedule schedule;
  EventStream events;
  Outcome outcome;
};

RecordedRun record(const Program& program, const SimulationOptions& options, Chooser& chooser) {
  RecordedRun run;
  ScheduleRecorder recorder;
  Simulation simulation(options);
  Observer* const observers[] = {&recorder, &run.events};
  run.outcome = simulation.run(program, chooser, observers);
  run.schedule = recorder.schedule();
  return run;
}

RecordedRun replay(const Program& program, const SimulationOptions& options,
                   const Schedule& schedule) {
  UndisturbedChooser fallback;
  ScheduleReplayer replayer(schedule, fallback);
  RecordedRun run = record(program, options, replayer);
  INFO((replayer.parted() ? replayer.parted()->message : ""));
  CHECK_FALSE(replayer.parted());
  CHECK(replayer.is_used_up());
  CHECK(replayer.steps_beyond() == 0);
  run.outcome = replayer.judge(std::move(run.outcome));
  return run;
}

void check_same(const RecordedRun& recorded, const RecordedRun& replayed) {
  CHECK(replayed.schedule == recorded.schedule);
  const auto difference = first_difference(recorded.events.entries(), replayed.events.entries());
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
        const RecordedRun recorded = record(*program, scenario.options, chooser);
        for (const SimulationOptions& machine : other_machines(scenario.options)) {
          INFO(scenario.name << " seed " << seed << " window " << machine.window.picoseconds());
          check_same(recorded, replay(*program, machine, recorded.schedule));
        }
      }
    }
  }
}

}  // namespace orrery
