#include <algorithm>
#include <cstdio>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../plots/chart.hpp"
#include "../src/csv.hpp"
#include "../src/in_turns.hpp"
#include "../src/thread_program.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

// What the paper has on average, on its four processors.
constexpr double paper_record = 1.021;
constexpr double paper_replay = 1.91;
constexpr double paper_detect = 40;

/// What was measured of one program.
struct Costs {
  Kernel kernel;
  double normal_s = 0;
  double operations = 0;
  double more_ns = 0;  ///< each operation takes so much longer while it is recorded
  double log_bytes = 0;
  Estimate record = {};  ///< ratios: to the normal run
  Estimate replay = {};  ///< to the run on one core
  Estimate detect = {};
};

double log_bytes_of(const ThreadProgram& program) {
  return static_cast<double>(std::filesystem::file_size(program.log()));
}

Costs measure(const RecplayBench& bench, const Kernel& kernel, int rounds) {
  constexpr int threads = 2;
  const ThreadProgram program(kernel.name, kernel.sized(bench.options.is_quick));
  const auto timed = [](const std::string& command) {
    return [command] { return wall_seconds_of(command); };
  };
  const Turns recording(
      rounds, {timed(program.command(threads)), timed(program.recorded(threads, "--quiet"))});
  Costs costs{kernel};
  const std::string told = output_of(program.recorded(threads, "--json"));
  costs.operations = nlohmann::json::parse(told).at("stats").at("stamped").get<double>();
  costs.log_bytes = log_bytes_of(program);
  // What has many locks is replayed for so long that a few rounds must do.
  const Turns replaying(
      kernel.is_of_paper ? rounds : std::max(rounds / 10, 1),
      {timed("taskset -c 0 " + program.command(threads)), timed(program.replayed("--quiet")),
       timed(program.replayed("--quiet --detect recplay"))});
  costs.normal_s = recording.first().median;
  costs.more_ns = recording.difference(1).median * 1e9 / costs.operations;
  costs.record = recording.ratio(1);
  costs.replay = replaying.ratio(1);
  costs.detect = replaying.ratio(2);
  return costs;
}

void print(const Costs& one) {
  fmt::print("{:6} {:27} {:8.3f} {:>22} {:11.0f} {:9.0f} {:8.1f} {:9.0f} {:>18} {:>18}\n",
             one.kernel.name, one.kernel.shape, one.normal_s, text(one.record, 3), one.operations,
             one.operations / one.normal_s / 2, one.more_ns, one.log_bytes, text(one.replay, 2),
             text(one.detect, 2));
  std::fflush(stdout);
}

/// As the paper has it: the arithmetic mean of the ratios.
double mean(const std::vector<Costs>& costs, Estimate Costs::*column) {
  const double sum = std::accumulate(
      costs.begin(), costs.end(), 0.0,
      [column](double so_far, const Costs& one) { return so_far + (one.*column).median; });
  return sum / static_cast<double>(costs.size());
}

void print_means(std::vector<Costs> costs) {
  const auto line = [&](const char* what, Estimate Costs::*column, double most, double paper) {
    const double value = mean(costs, column);
    fmt::print("{:18} {:7.3f}   target <= {:5.3f} {}; the paper's {}\n", what, value, most,
               value <= most ? "met" : "missed", paper);
  };
  const auto lines = [&](const char* title) {
    fmt::print("\n{}\n", title);
    line("record / normal", &Costs::record, 1.021, paper_record);
    line("replay / one core", &Costs::replay, 1.3, paper_replay);
    line("with detection", &Costs::detect, 8, paper_detect);
  };
  lines("On average");
  std::erase_if(costs, [](const Costs& one) { return !one.kernel.is_of_paper; });
  lines("On average of those with a shape of the paper's");
}

void write_files(const RecplayBench& bench, const std::vector<Costs>& costs) {
  Csv csv(
      "kernel,normal_s,record_ratio,record_low,record_high,operations,more_ns,log_bytes,"
      "replay_ratio,replay_low,replay_high,detect_ratio,detect_low,detect_high");
  BarChart chart{.title = "RecPlay's table 1: times the program's own time",
                 .y = {.title = "times"},
                 .categories = {},
                 .series = {{"record / normal", {}}, {"replay / one core", {}}, {"+ detect", {}}}};
  for (const Costs& one : costs) {
    const auto number = [](double value) { return fmt::format("{:.6g}", value); };
    csv.add({one.kernel.name, number(one.normal_s), number(one.record.median),
             number(one.record.low), number(one.record.high), number(one.operations),
             number(one.more_ns), number(one.log_bytes), number(one.replay.median),
             number(one.replay.low), number(one.replay.high), number(one.detect.median),
             number(one.detect.low), number(one.detect.high)});
    if (!one.kernel.is_of_paper) continue;  // they would dwarf the others
    chart.categories.emplace_back(one.kernel.name);
    chart.series[0].values.push_back(one.record.median);
    chart.series[1].values.push_back(one.replay.median);
    chart.series[2].values.push_back(one.detect.median);
  }
  csv.write(bench.pictures / "recplay-costs.csv");
  write_whole(bench.pictures / "recplay-costs.svg", svg(chart));
}

}  // namespace

void print_costs(const RecplayBench& bench) {
  const int rounds = bench.options.rounds.value_or(bench.options.is_quick ? 3 : 30);
  fmt::print(
      "Programs of two threads under orrery record (lamport-order) on real cores, and replayed on "
      "one;\n{} rounds in turn, a tenth of them replays where a program has many locks; medians, "
      "95 % intervals of paired ratios\n\n{:6} {:27} {:>8} {:>22} {:>11} {:>9} {:>8} {:>9} {:>18} "
      "{:>18}\n",
      rounds, "", "", "normal s", "record / normal", "operations", "a s, each", "ns more",
      "log bytes", "replay", "+ detect");
  std::vector<Costs> costs;
  for (const Kernel& kernel : bench.kernels()) {
    costs.push_back(measure(bench, kernel, rounds));
    print(costs.back());
  }
  if (costs.size() == 1) return;
  print_means(costs);
  write_files(bench, costs);
}

}  // namespace orrery::bench
