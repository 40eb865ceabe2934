// How many runs, and how many operations, a second a core.
#include <limits>

#include <fmt/format.h>

#include <orrery/explorers/explorer.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/scenarios/scenarios.hpp>

#include "benchmark_row.hpp"
#include "measuring.hpp"

namespace orrery::bench {
namespace {

/// A search as `orrery explore` does it (a forked worker, the recorder on, schedules counted),
/// beside a loop around `Simulation::run`.
Sample exploration(const Program& program, std::uint64_t runs) {
  ExploreOptions options;
  options.name = "bench";
  options.runs = runs;
  options.save_logs = false;
  options.shrink = false;
  const double cpu_start = cpu_seconds();
  const double wall_start = wall_seconds();
  const Report report = explore(options, program);
  const double cpu = cpu_seconds() - cpu_start;
  const double wall = wall_seconds() - wall_start;
  detail::ensure(report.runs == runs && report.findings.empty(), "a search does all its runs",
                 static_cast<long long>(report.runs), static_cast<long long>(runs));
  TimedRuns bare(boundless(), "random");
  const RunCosts costs = bare.run(program, runs);
  return {static_cast<double>(runs) / cpu, costs.runs_per_second(),
          fmt::format("{:.0f} a second on the wall", static_cast<double>(runs) / wall)};
}

/// The median over some slices of a program's random runs.
double operations_per_second(const scenarios::NamedProgram& named) {
  constexpr int slices = 5;
  constexpr std::uint64_t steps_per_slice = 10'000;
  TimedRuns runs(named.scenario->options, "random");
  const RunCosts warm = runs.run(named.program(), 20);
  const std::uint64_t runs_per_slice = 1 + steps_per_slice * warm.runs / warm.steps;
  std::vector<double> rates;
  for (int i = 0; i < slices; ++i) {
    rates.push_back(runs.run(named.program(), runs_per_slice).steps_per_second());
  }
  return median(std::move(rates));
}

Sample slowest_scenario(bool mended) {
  Sample least{std::numeric_limits<double>::infinity(), 0, {}};
  for (const std::string& name : scenarios::program_names()) {
    const auto named = scenarios::program(name);
    if (named.is_mended != mended) continue;
    const double rate = operations_per_second(named);
    if (rate < least.figure) least = {rate, 0, name};
  }
  return least;
}

}  // namespace

std::vector<BenchmarkRow> run_rate_rows() {
  return {
      {"explore: 3 threads x 4 lock pairs", "runs/s", "bare loop", figure_at_least(250'000), 11,
       [] { return exploration(three_threads_with_four_locks(), 50'000); }},
      {"explore: 3 processes x 10 messages", "runs/s", "bare loop", figure_at_least(50'000), 11,
       [] { return exploration(three_processes_with_ten_messages(), 20'000); }},
      {"slowest scenario, mended", "op/s", "", figure_at_least(1e6), 5,
       [] { return slowest_scenario(/*mended=*/true); }},
      {"slowest scenario, with its bug", "op/s", "", figure_at_least(1e6), 5,
       [] { return slowest_scenario(/*mended=*/false); }},
  };
}

}  // namespace orrery::bench
