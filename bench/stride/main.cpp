// Tables II and III of Zhou, Xiao and Zhang (Stride), and their figure over threads, repeated: what
// it costs programs of threads to have all that they do to memory recorded on real cores, by `leap`
// and by `stride`: ./dev bench stride [--rounds N] [--quick] [--only KERNEL].  The first argument
// is where CSV files and pictures go.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../plots/chart.hpp"
#include "../src/csv.hpp"
#include "../src/in_turns.hpp"
#include "../src/table_options.hpp"
#include "../src/thread_program.hpp"

namespace orrery::bench {
namespace {

/// `{}` in the arguments: how many threads.
struct Kernel {
  const char* name;
  const char* arguments;
  const char* quick_arguments;
};
constexpr std::array<Kernel, 8> kernels{{{"lu", "256 {} 16", "64 {} 16"},
                                         {"fft", "8 {}", "5 {}"},
                                         {"radix", "200000 {} 8", "5000 {} 8"},
                                         {"steal", "12 {} 3", "8 {} 2"},
                                         {"nbody", "200 {} 20", "40 {} 5"},
                                         {"cache", "300 {} 3", "30 {} 3"},
                                         {"bank", "20000 {} 64", "500 {} 64"},
                                         {"pool", "5000 {} 64", "200 {} 64"}}};
constexpr std::array<const char*, 3> over_threads{"lu", "radix", "bank"};
constexpr std::array methods{"leap", "stride"};

// What the paper has: how much less `stride` costs, and keeps.
constexpr double paper_less_overhead = 2.5;
constexpr double paper_smaller_logs = 3.88;

/// What `orrery record` tells of a run on real cores.
nlohmann::json counts_of(const ThreadProgram& program, const std::string& method, int threads) {
  const std::string told = output_of(program.recorded(threads, "--json --method " + method));
  return nlohmann::json::parse(told).at("stats");
}

/// Values that were looked at for each read, of a small run in simulation whose bounds are late.
double comparisons_of(const ThreadProgram& program) {
  static_cast<void>(output_of(fmt::format(
      "'{}' run --quiet --preempt all --window 20us --record '{}' --method stride:lag=6 '{}'",
      ORRERY_BINARY, program.log(), program.path())));
  const std::string told = output_of(program.replayed("--stats --json"));
  const auto found = nlohmann::json::parse(told).at("stats").at("inference");
  return found.at("comparisons").get<double>() / std::max(found.at("reads").get<double>(), 1.0);
}

std::string recorded(const ThreadProgram& program, const std::string& method, int threads) {
  return program.recorded(threads, "--quiet --method " + method);
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

/// The paper's figure over threads: seconds of a recorded run, and bytes of its log.
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
    const Look look = method == 0 ? Look::dashed_line : Look::line;
    chart.series.push_back({.name = name, .look = look, .points = {point}, .colour = colour});
  }

  Csv csv_{"kernel,threads,normal_s,leap_s,stride_s,leap_bytes,stride_bytes"};
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

class Tables {
 public:
  Tables(const TableOptions& options, std::filesystem::path pictures)
      : options_(options),
        pictures_(std::move(pictures)),
        rounds_(options.rounds.value_or(options.is_quick ? 2 : 15)) {}

  void run() {
    print_programs();
    if (options_.only.empty()) print_means();
    print_over_threads();
    if (!options_.only.empty()) return;
    csv_.write(pictures_ / "stride-programs.csv");
    over_threads_.write(pictures_);
  }

 private:
  void print_programs() {
    fmt::print(
        "Programs of two threads on real cores, recorded with all that they do to memory; {} "
        "rounds "
        "in turn, medians of\npaired ratios with 95 % intervals; overhead: what is more than the "
        "program's own time; comparisons a read of a small\nrun in simulation with late bounds "
        "(natively each bound is exact, and none is needed)\n\n"
        "{:6} {:>8} {:>11} {:>6} {:>22} {:>22} {:>8} {:>9} {:>9} {:>7} {:>8} {:>9}\n",
        rounds_, "", "normal s", "accesses", "reads", "leap / normal", "stride / normal",
        "overhead", "leap B", "stride B", "smaller", "MB/s", "compared");
    for (const Kernel& kernel : kernels) {
      if (options_.only.empty() || options_.only == kernel.name) measure(kernel);
    }
  }

  void measure(const Kernel& kernel) {
    const ThreadProgram program(kernel.name, sized(kernel));
    const Turns turns(rounds_, {[&] { return wall_seconds_of(program.command(2)); },
                                [&] { return wall_seconds_of(recorded(program, "leap", 2)); },
                                [&] { return wall_seconds_of(recorded(program, "stride", 2)); }});
    std::vector<double> leap_bytes;
    std::vector<double> stride_bytes;
    nlohmann::json counts;
    for (int i = 0; i < std::min(rounds_, 5); ++i) {
      leap_bytes.push_back(counts_of(program, "leap", 2).at("log_bytes").get<double>());
      counts = counts_of(program, "stride", 2);
      stride_bytes.push_back(counts.at("log_bytes").get<double>());
    }
    const double normal = turns.first().median;
    const double less = turns.difference(1).median / turns.difference(2).median;
    const double leap = estimate(leap_bytes).median;
    const double stride = estimate(stride_bytes).median;
    const double accesses = counts.at("accesses").get<double>();
    const double seconds = normal + turns.difference(2).median;
    const double comparisons = comparisons_of(program);
    const auto text = [&](std::size_t way) {
      const Estimate ratio = turns.ratio(way);
      return fmt::format("{:.1f} [{:.1f}, {:.1f}]", ratio.median, ratio.low, ratio.high);
    };
    fmt::print(
        "{:6} {:8.3f} {:11.0f} {:5.0f}% {:>22} {:>22} {:8.2f} {:9.0f} {:9.0f} {:7.2f} {:8.2f} "
        "{:9.3f}\n",
        kernel.name, normal, accesses, 100 * counts.at("reads").get<double>() / accesses, text(1),
        text(2), less, leap, stride, leap / stride, stride / seconds / 1e6, comparisons);
    std::fflush(stdout);
    csv_.add({kernel.name, number(normal), number(accesses), number(turns.ratio(1).median),
              number(turns.ratio(2).median), number(less), number(leap), number(stride),
              number(comparisons)});
    less_.push_back(less);
    smaller_.push_back(leap / stride);
  }

  void print_means() const {
    const auto line = [](const char* what, double value, double target) {
      fmt::print("{:42} {:5.2f}   target, the paper's: >= {:4.2f} {}\n", what, value, target,
                 value >= target ? "met" : "missed");
    };
    fmt::print("\nGeometric means\n");
    line("overhead of leap / overhead of stride", geometric_mean(less_), paper_less_overhead);
    line("log of leap / log of stride", geometric_mean(smaller_), paper_smaller_logs);
  }

  /// More threads than this machine has cores: how logs grow, and the shape of the curve.
  void print_over_threads() {
    fmt::print(
        "\nThe same by more and more threads, once each; seconds, and bytes of the log\n\n"
        "{:6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        "", "threads", "normal", "leap", "stride", "leap B", "stride B");
    for (const char* const name : over_threads) {
      const Kernel& kernel = *std::ranges::find_if(
          kernels, [&](const Kernel& one) { return std::string(one.name) == name; });
      if (!options_.only.empty() && options_.only != name) continue;
      const ThreadProgram program(name, sized(kernel));
      for (int threads = 2; threads <= (options_.is_quick ? 8 : 64); threads *= 2) {
        std::vector<double> row{wall_seconds_of(program.command(threads))};
        for (const char* const method : methods) {
          row.push_back(wall_seconds_of(recorded(program, method, threads)));
        }
        for (const char* const method : methods) {
          row.push_back(counts_of(program, method, threads).at("log_bytes").get<double>());
        }
        fmt::print("{:6} {:8} {:9.3f} {:9.3f} {:9.3f} {:9.0f} {:9.0f}", name, threads, row[0],
                   row[1], row[2], row[3], row[4]);
        over_threads_.add(name, threads, row);
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
  }

  [[nodiscard]] const char* sized(const Kernel& kernel) const {
    return options_.is_quick ? kernel.quick_arguments : kernel.arguments;
  }

  TableOptions options_;
  std::filesystem::path pictures_;
  int rounds_;
  Csv csv_{
      "kernel,normal_s,accesses,leap_ratio,stride_ratio,overhead_leap_by_stride,leap_bytes,"
      "stride_bytes,comparisons_a_read"};
  OverThreads over_threads_;
  std::vector<double> less_;
  std::vector<double> smaller_;
};

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    const orrery::bench::TableOptions options = orrery::bench::table_options(
        argc - 1, argv + 1, "usage: bench stride [--rounds N] [--quick] [--only KERNEL]");
    std::filesystem::create_directories(argv[1]);
    orrery::bench::Tables(options, argv[1]).run();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
