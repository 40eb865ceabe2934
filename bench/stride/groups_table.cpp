#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

#include <fmt/format.h>

#include "../plots/chart.hpp"
#include "../src/csv.hpp"
#include "../src/in_turns.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

constexpr std::array<const char*, 4> in_groups{"radix", "fft", "cache", "pool"};
constexpr std::array<const char*, 5> groups{"variable", "block:64", "block:4096", "site",
                                            "allocation"};

void measure_groups(const StrideBench& bench, const Kernel& kernel, Csv& csv, BarChart& chart) {
  const ThreadProgram program(kernel.name, kernel.sized_smaller(bench.options.is_quick));
  std::vector<RecordedRuns> recorded;
  for (const char* const group : groups) {
    recorded.emplace_back(program, fmt::format("stride:group={}", group), 2);
  }
  std::vector<std::function<double()>> ways{[&] { return wall_seconds_of(program.command(2)); }};
  for (RecordedRuns& runs : recorded) ways.emplace_back([&runs] { return runs.record(); });
  const Turns turns(bench.rounds(), ways);
  chart.categories.emplace_back(kernel.name);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Estimate ratio = turns.ratio(i + 1);
    const double overhead = ratio.median - 1;
    fmt::print("{:6} {:10} {:>22} {:12.0f} {:12.0f} {:12.0f}\n", i == 0 ? kernel.name : "",
               groups[i],
               fmt::format("{:.1f} [{:.1f}, {:.1f}]", overhead, ratio.low - 1, ratio.high - 1),
               recorded[i].log_bytes(), recorded[i].count("turns"), recorded[i].count("bounds"));
    csv.add({kernel.name, groups[i], number(overhead), number(recorded[i].log_bytes()),
             number(recorded[i].count("turns")), number(recorded[i].count("bounds"))});
    chart.series[i].values.push_back(overhead);
  }
  std::fflush(stdout);
}

}  // namespace

void print_groups(const StrideBench& bench) {
  fmt::print(
      "\nGroups: `stride` where words share one order of writes and one version; overheads as "
      "above, bytes of the log, and of\nthe last run turns of writers and bounds of reads that "
      "were written down\n\n{:6} {:10} {:>22} {:>12} {:>12} {:>12}\n",
      "", "group", "overhead", "log B", "turns", "bounds");
  Csv csv{"kernel,group,overhead,bytes,turns,bounds"};
  BarChart chart{.title = "Recorded on two cores by stride, variables in groups: overhead",
                 .y = {.title = "more than the program's own time"},
                 .categories = {},
                 .series = {}};
  for (const char* const group : groups) chart.series.push_back({group, {}});
  for (const Kernel& kernel : bench.kernels()) {
    const bool is_wanted =
        std::ranges::find(in_groups, std::string(kernel.name)) != in_groups.end();
    if (is_wanted) measure_groups(bench, kernel, csv, chart);
  }
  if (!bench.is_of_all()) return;
  csv.write(bench.pictures / "stride-groups.csv");
  write_whole(bench.pictures / "stride-groups.svg", svg(chart));
}

}  // namespace orrery::bench
