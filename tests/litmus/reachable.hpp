// Litmus tests: small programs with the full list of what they may come to.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery::litmus {

/// What runs came to: what the program returned or, where it did not get there, the finding's kind
/// (`deadlock`) or the name of the limit that stopped it.
using Outcomes = std::set<std::string>;

/// A program that says what it came to.
using LitmusProgram = std::function<std::string(World&)>;

inline SimulationOptions machine(VirtualDuration window = any_order) {
  SimulationOptions options;
  options.window = window;
  options.step_limit = 10'000;
  return options;
}

/// Everything that `program` can come to.  The search must end: a list of outcomes is only worth
/// something if it is the full one.
inline Outcomes reachable(const LitmusProgram& program, SimulationOptions options = machine()) {
  Outcomes outcomes;
  ExploreOptions search;
  search.name = "litmus";
  search.strategy = "exhaustive";
  search.simulation = std::move(options);
  search.runs = 400'000;
  search.keep_going = true;
  search.shrink = false;
  search.save_logs = false;
  search.isolate = false;
  const Report report = explore(search, [&](World& world) {
    std::string outcome = program(world);
    // A task whose run is over leaves at its next operation at the latest; destructors of threads
    // may let it come this far.
    world.yield();
    outcomes.insert(std::move(outcome));
  });
  INFO(text(report));
  REQUIRE(report.complete);
  for (const FoundRun& found : report.findings) {
    outcomes.insert(std::string(name(found.finding.kind)));
  }
  for (const LimitedRuns& limited : report.limits) {
    outcomes.insert(std::string(name(limited.limit)));
  }
  return outcomes;
}

}  // namespace orrery::litmus
