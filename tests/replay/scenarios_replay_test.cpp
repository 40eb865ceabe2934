// A failing run of each scenario, replayed under another seed, window and network: the same events.
#include <chrono>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/constant_network.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/scenarios/scenarios.hpp>

#include "replay/seen_run.hpp"

using namespace orrery;
using namespace std::chrono_literals;
using scenarios::Scenario;
using test::SeenRun;
using test::watch;

namespace {

// The first random run of the buggy program that fails, or of its twin that does not.
SeenRun first_run(const Scenario& scenario, const Program& program, bool fails) {
  const auto strategy = make_strategy("random");
  const auto chooser = strategy->chooser({});
  Simulation simulation(scenario.options);
  for (std::uint64_t index = 0; index < 10'000; ++index) {
    simulation.set_run(/*seed=*/1, index);
    SeenRun run = watch(simulation, program, *chooser);
    if (run.outcome.is_clean() != fails) return run;
  }
  FAIL("no such run of " << scenario.name);
  return {};
}

SimulationOptions with_window(SimulationOptions options, VirtualDuration window) {
  options.window = window;
  return options;
}

SimulationOptions with_network(SimulationOptions options, LinkSpeed speed) {
  options.network = [speed] { return std::make_unique<ConstantNetwork>(8, speed); };
  return options;
}

// Other machines than the one on which the run was met.
std::vector<SimulationOptions> other_machines(const SimulationOptions& options) {
  SimulationOptions other_seed = options;
  other_seed.seed = 77;
  other_seed.run_index = 123;
  const LinkSpeed slow{.latency = 3ms, .bandwidth_bytes_per_second = 1'000'000};
  const LinkSpeed fast{.latency = 1us, .bandwidth_bytes_per_second = 12'500'000'000};
  return {other_seed,
          with_window(options, 0us),
          with_window(options, 60us),
          with_network(options, slow),
          with_network(options, fast),
          with_network(with_window(other_seed, 0us), slow),
          with_network(with_window(other_seed, 0us), fast)};
}

void check_replays_everywhere(const Scenario& scenario, const Program& program,
                              const SeenRun& seen) {
  std::size_t machine = 0;
  for (const SimulationOptions& options : other_machines(scenario.options)) {
    CAPTURE(scenario.name, machine++);
    Simulation simulation(options);
    UndisturbedChooser fallback;
    ScheduleReplayer replayer(seen.schedule, fallback);
    const SeenRun again = watch(simulation, program, replayer);
    CHECK_FALSE(replayer.parted());
    CHECK(replayer.is_used_up());
    CHECK(replayer.steps_beyond() == 0);
    CHECK_FALSE(first_difference(seen.events, again.events));
    CHECK(again.schedule == seen.schedule);
    CHECK(again.outcome.status == seen.outcome.status);
    CHECK(again.outcome.output == seen.outcome.output);
    REQUIRE(again.outcome.findings.size() == seen.outcome.findings.size());
    for (std::size_t i = 0; i < seen.outcome.findings.size(); ++i) {
      CHECK(again.outcome.findings[i].is_same_as(seen.outcome.findings[i]));
      CHECK(again.outcome.findings[i].message == seen.outcome.findings[i].message);
    }
  }
}

}  // namespace

TEST_CASE("each scenario's failing run is the same under another seed, window and network") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    const SeenRun seen = first_run(scenario, scenario.program, /*fails=*/true);
    CHECK(scenarios::is_expected(scenario, seen.outcome.findings.front()));
    check_replays_everywhere(scenario, scenario.program, seen);
  }
}

TEST_CASE("a clean run of each twin is the same under another seed, window and network") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    const SeenRun seen = first_run(scenario, scenario.mended, /*fails=*/false);
    check_replays_everywhere(scenario, scenario.mended, seen);
  }
}

TEST_CASE("each scenario's failing run is the same after it has been written and read") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    CAPTURE(scenario.name);
    const SeenRun seen = first_run(scenario, scenario.program, /*fails=*/true);
    CHECK(decode_schedule(encode_schedule(seen.schedule)) == seen.schedule);
  }
}
