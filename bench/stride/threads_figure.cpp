#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "../plots/chart.hpp"
#include "../src/csv.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

constexpr std::array<const char*, 3> over_threads{"lu", "radix", "bank"};
constexpr std::array methods{"leap", "global-writes", "stride"};

/// The paper's figures over threads: seconds of a recorded run, and bytes of its log.
class OverThreads {
 public:
  /// `row`: seconds of the normal run and by each method, then bytes by each method.
  void add(const std::string& kernel, int threads, const std::vector<double>& row) {
    std::vector<std::string> fields{kernel, fmt::to_string(threads)};
    for (const double value : row) fields.push_back(number(value));
    csv_.add(fields);
    if (kernels_.empty() || kernels_.back() != kernel) kernels_.push_back(kernel);
    const std::size_t colour = kernels_.size() - 1;
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const std::string name = kernel + ", " + methods[i];
      add_point(seconds_, name, i, colour, {static_cast<double>(threads), row[1 + i]});
      add_point(bytes_, name, i, colour,
                {static_cast<double>(threads), row[1 + methods.size() + i]});
    }
  }
  void write(const std::filesystem::path& pictures) const {
    csv_.write(pictures / "stride-threads.csv");
    write_whole(pictures / "stride-threads.svg", svg(std::vector{seconds_, bytes_}));
  }

 private:
  static void add_point(LineChart& chart, const std::string& name, std::size_t method,
                        std::size_t colour, Point point) {
    const auto found = std::ranges::find(chart.series, name, &Series::name);
    if (found != chart.series.end()) return found->points.push_back(point);
    constexpr std::array looks{Look::dashed_line, Look::dots, Look::line};
    chart.series.push_back(
        {.name = name, .look = looks[method], .points = {point}, .colour = colour});
  }

  Csv csv_{"kernel,threads,normal_s,leap_s,global_s,stride_s,leap_bytes,global_bytes,stride_bytes"};
  std::vector<std::string> kernels_;
  LineChart seconds_{.title = "recorded on two cores",
                     .x = {.title = "threads", .scale = Scale::logarithmic},
                     .y = {.title = "seconds", .scale = Scale::logarithmic},
                     .series = {}};
  LineChart bytes_{.title = "logs",
                   .x = {.title = "threads", .scale = Scale::logarithmic},
                   .y = {.title = "bytes", .scale = Scale::logarithmic},
                   .series = {}};
};

}  // namespace

/// More threads than this machine has cores: how logs grow, and the shape of the curve.
void print_over_threads(const StrideBench& bench) {
  fmt::print(
      "\nThe same by more and more threads, once each; seconds, and bytes of the log (with two "
      "cores, most threads wait for\na core and not for each other: the shape of the curve, not "
      "contention, can be seen)\n\n{:6} {:>8} {:>9}",
      "", "threads", "normal");
  for (const char* const method : methods) fmt::print(" {:>13}", method);
  for (const char* const method : methods) fmt::print(" {:>15}", fmt::format("{} B", method));
  fmt::print("\n");
  OverThreads figure;
  for (const Kernel& kernel : bench.kernels()) {
    if (std::ranges::find(over_threads, std::string(kernel.name)) == over_threads.end()) continue;
    const ThreadProgram program(kernel.name, kernel.sized_smaller(bench.options.is_quick));
    for (int threads = 2; threads <= (bench.options.is_quick ? 8 : 64); threads *= 2) {
      std::vector<double> row{wall_seconds_of(program.command(threads))};
      std::vector<RecordedRuns> recorded;
      for (const char* const method : methods) recorded.emplace_back(program, method, threads);
      for (RecordedRuns& runs : recorded) row.push_back(runs.record());
      for (const RecordedRuns& runs : recorded) row.push_back(runs.log_bytes());
      fmt::print("{:6} {:8} {:9.3f}", kernel.name, threads, row[0]);
      for (std::size_t i = 0; i < methods.size(); ++i) fmt::print(" {:13.3f}", row[1 + i]);
      for (std::size_t i = 0; i < methods.size(); ++i) {
        fmt::print(" {:15.0f}", row[1 + methods.size() + i]);
      }
      fmt::print("\n");
      std::fflush(stdout);
      figure.add(kernel.name, threads, row);
    }
  }
  if (bench.is_of_all()) figure.write(bench.pictures);
}

}  // namespace orrery::bench
