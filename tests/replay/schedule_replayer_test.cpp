// Record, then replay under another seed, window and network: the same run, event by event.
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

}  // namespace orrery
