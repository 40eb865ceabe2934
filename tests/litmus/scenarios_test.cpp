// Every scenario under every strategy: the bug is found and made small, the twin is clean.
#include <algorithm>

#include <orrery/explorers/catch2.hpp>
#include <orrery/explorers/explorer.hpp>
#include <orrery/scenarios/scenarios.hpp>

#include "every_strategy.hpp"

using namespace orrery;
using scenarios::Scenario;

namespace {

ExploreOptions search(const Scenario& scenario, const std::string& strategy, std::uint64_t runs) {
  ExploreOptions options;
  options.name = std::string(scenario.name);
  options.strategy = strategy;
  options.runs = runs;
  options.simulation = scenario.options;
  options.save_logs = false;
  options.isolate = false;
  return options;
}

// Depth first without a bound would vary the last steps of the first run for ever.
std::string for_buggy(const Scenario& scenario, const std::string& strategy) {
  if (strategy != "exhaustive") return strategy;
  return "exhaustive:preemptions=" + std::to_string(scenario.expected.preemptions);
}

// Round robin takes turns with tasks alone: it always wakes the sleeper that has waited longest,
// and what has failed at a task never recovers just between two sends of that task.
bool is_out_of_reach(const Scenario& scenario, const std::string& strategy) {
  return strategy == "round_robin" &&
         (scenario.name == "bounded_buffer" || scenario.name == "missing_chunk");
}

}  // namespace

TEST_CASE("every strategy finds each scenario's bug, and what is left of it is small") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    for (const std::string& strategy : litmus::every_strategy()) {
      CAPTURE(scenario.name, strategy);
      const Report report =
          explore(search(scenario, for_buggy(scenario, strategy), 20'000), scenario.program);
      if (is_out_of_reach(scenario, strategy)) {
        CHECK_THAT(report, NoFindings());
        continue;
      }
      CHECK_THAT(report, FindsA(scenario.expected.kind));
      if (report.findings.empty()) continue;
      const FoundRun& found = report.findings.front();
      INFO(text(report));
      CHECK(scenarios::is_expected(scenario, found.finding));
      CHECK(found.cost_after.preemptions <= scenario.expected.preemptions);
      CHECK(found.cost_after <= found.cost_before);
    }
  }
}

TEST_CASE("no scenario's bug can be seen with fewer preemptions than it is said to need") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    if (scenario.expected.preemptions == 0) continue;
    const std::string strategy =
        "exhaustive:preemptions=" + std::to_string(scenario.expected.preemptions - 1);
    CAPTURE(scenario.name, strategy);
    const Report report = explore(search(scenario, strategy, 400'000), scenario.program);
    CHECK_THAT(report, NoFindings());
    CHECK(report.complete);
  }
}

TEST_CASE("a scenario that has faults needs one: without it there is nothing to be found") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    if (scenario.options.faults.is_empty()) continue;
    CAPTURE(scenario.name);
    ExploreOptions options = search(scenario, "exhaustive", 400'000);
    options.simulation.faults = {};
    const Report report = explore(options, scenario.program);
    CHECK_THAT(report, NoFindings());
    CHECK(report.complete);
  }
}

TEST_CASE("what is left of a bug that needs a fault has one fault") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    if (scenario.options.faults.is_empty()) continue;
    CAPTURE(scenario.name);
    const Report report = explore(search(scenario, "random", 20'000), scenario.program);
    REQUIRE(report.findings.size() == 1);
    REQUIRE(report.findings.front().shrunk);
    const bool is_of_clocks = scenario.options.faults[FaultKind::clock_skew].is_on;
    const auto is_fault = [is_of_clocks](const ScheduleEntry& entry) {
      const auto kind = is_of_clocks ? ChoiceKind::value : ChoiceKind::fault;
      return entry.type == ScheduleEntry::Type::value && entry.choice == kind && entry.value() != 0;
    };
    CHECK(std::ranges::count_if(report.findings.front().shrunk->entries, is_fault) == 1);
    CHECK(report.faults.has_fired());
  }
}

TEST_CASE("each twin is clean in 20,000 random runs") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    CAPTURE(scenario.name);
    const Report report = explore(search(scenario, "random", 20'000), scenario.mended);
    CHECK_THAT(report, NoFindings());
    CHECK(report.limits.empty());
    CHECK(report.runs == 20'000);
  }
}

TEST_CASE("each twin is clean in 2,000 runs of every other strategy") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    for (const std::string& strategy : litmus::every_strategy()) {
      CAPTURE(scenario.name, strategy);
      const Report report = explore(search(scenario, strategy, 2'000), scenario.mended);
      CHECK_THAT(report, NoFindings());
      CHECK(report.limits.empty());
    }
  }
}

TEST_CASE("each twin is clean in a full exhaustive search, which ends") {
  for (const Scenario& scenario : scenarios::scenario_table()) {
    CAPTURE(scenario.name);
    const Report report = explore(search(scenario, "exhaustive", 400'000), scenario.mended);
    CHECK_THAT(report, NoFindings());
    CHECK(report.complete);
  }
}

TEST_CASE("a head-to-head send needs buffering: with a higher eager threshold it is clean") {
  const Scenario& scenario = *scenarios::program("head_to_head_sends").scenario;
  ExploreOptions options = search(scenario, "random", 1'000);
  options.simulation.eager_threshold_bytes = 100'000;
  CHECK_THAT(explore(options, scenario.program), NoFindings());
}
