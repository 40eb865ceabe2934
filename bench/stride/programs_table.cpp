#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include <fmt/format.h>

#include "../plots/chart.hpp"
#include "../src/csv.hpp"
#include "../src/in_turns.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

constexpr std::array methods{"leap", "stride", "global-writes"};
constexpr std::size_t leap = 0;
constexpr std::size_t stride = 1;

// What the paper has: how much less `stride` costs, and keeps.
constexpr double paper_less_overhead = 2.5;
constexpr double paper_smaller_logs = 3.88;
constexpr double comparisons_target = 1.05;

/// Values that were looked at for each read, of a small run in simulation whose bounds are late.
double comparisons_of(const ThreadProgram& program) {
  static_cast<void>(output_of(fmt::format(
      "'{}' run --quiet --preempt all --window 20us --record '{}' --method stride:lag=6 '{}'",
      ORRERY_BINARY, program.log(), program.path())));
  const std::string told = output_of(program.replayed("--stats --json"));
  const auto found = nlohmann::json::parse(told).at("stats").at("inference");
  return found.at("comparisons").get<double>() / std::max(found.at("reads").get<double>(), 1.0);
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

class ProgramsTable {
 public:
  explicit ProgramsTable(const StrideBench& bench) : bench_(bench) {}

  void run() {
    fmt::print(
        "Table II: programs of two threads on real cores, recorded with all that they do to "
        "memory; {} rounds in turn.\nOverhead: what is more than the program's own time, as a "
        "multiple of it: medians of paired ratios with 95 %\nintervals.  Compared: values looked "
        "at for each read, of a small run in simulation with late bounds (natively each\nbound is "
        "exact, and none is needed)\n\n"
        "{:6} {:>8} {:>10} {:>6} {:>8} {:>20} {:>20} {:>20} {:>27} {:>22}\n",
        bench_.rounds(), "", "normal s", "accesses", "reads", "compared", "leap", "stride",
        "global-writes", "log MB/s: leap stride global", "s to write the logs");
    for (const Kernel& kernel : bench_.kernels()) measure(kernel);
    if (less_.size() > 1) print_means();
    if (!bench_.is_of_all()) return;
    csv_.write(bench_.pictures / "stride-programs.csv");
    write_whole(bench_.pictures / "stride-programs.svg", svg(chart_));
  }

 private:
  void measure(const Kernel& kernel) {
    const ThreadProgram program(kernel.name, kernel.sized(bench_.options.is_quick));
    std::vector<RecordedRuns> recorded;
    for (const char* const method : methods) recorded.emplace_back(program, method, 2);
    std::vector<std::function<double()>> ways{[&] { return wall_seconds_of(program.command(2)); }};
    for (RecordedRuns& runs : recorded) ways.emplace_back([&runs] { return runs.record(); });
    const Turns turns(bench_.rounds(), ways);
    const double accesses = recorded[stride].count("accesses");
    const double reads = recorded[stride].count("reads") / accesses;
    const double normal = turns.first().median;
    const double comparisons = comparisons_of(program);
    fmt::print("{:6} {:8.3f} {:10.0f} {:5.1f}% {:8.3f}", kernel.name, normal, accesses, 100 * reads,
               comparisons);
    std::vector<std::string> fields{kernel.name, number(normal), number(accesses), number(reads),
                                    number(comparisons)};
    chart_.categories.emplace_back(kernel.name);
    std::vector<double> bytes;
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const Estimate ratio = turns.ratio(i + 1);
      fmt::print(" {:>20}", fmt::format("{:.1f} [{:.1f}, {:.1f}]", ratio.median - 1, ratio.low - 1,
                                        ratio.high - 1));
      fields.push_back(number(ratio.median - 1));
      chart_.series[i].values.push_back(ratio.median - 1);
      bytes.push_back(recorded[i].log_bytes());
    }
    for (std::size_t i = 0; i < methods.size(); ++i) {
      fmt::print(" {:8.3f}", bytes[i] / (normal + turns.difference(i + 1).median) / 1e6);
      fields.push_back(number(bytes[i]));
    }
    for (const RecordedRuns& runs : recorded) {
      fmt::print(" {:7.3f}", runs.writing_seconds());
      fields.push_back(number(runs.writing_seconds()));
    }
    fmt::print("\n");
    std::fflush(stdout);
    csv_.add(fields);
    less_.push_back(turns.difference(leap + 1).median / turns.difference(stride + 1).median);
    smaller_.push_back(bytes[leap] / bytes[stride]);
    compared_.push_back(comparisons);
  }

  void print_means() const {
    fmt::print("\n{:42} {:5.2f}   target, the paper's: >= {:4.2f}\n",
               "overhead of leap / overhead of stride", geometric_mean(less_), paper_less_overhead);
    fmt::print("{:42} {:5.2f}   target, the paper's: >= {:4.2f}\n", "log of leap / log of stride",
               geometric_mean(smaller_), paper_smaller_logs);
    fmt::print("{:42} {:5.3f}   target: <= {:4.2f}\n", "most comparisons a read",
               *std::ranges::max_element(compared_), comparisons_target);
  }

  const StrideBench& bench_;
  Csv csv_{
      "kernel,normal_s,accesses,read_share,comparisons_a_read,leap_overhead,stride_overhead,"
      "global_overhead,leap_bytes,stride_bytes,global_bytes,leap_written_s,stride_written_s,"
      "global_written_s"};
  BarChart chart_{.title = "Recorded on two cores: overhead",
                  .y = {.title = "more than the program's own time"},
                  .categories = {},
                  .series = {{"leap", {}}, {"stride", {}}, {"global-writes", {}}}};
  std::vector<double> less_;
  std::vector<double> smaller_;
  std::vector<double> compared_;
};

}  // namespace

void print_programs(const StrideBench& bench) {
  ProgramsTable(bench).run();
}

}  // namespace orrery::bench
