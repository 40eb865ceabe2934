// Tables II and III of Zhou, Xiao and Zhang (Stride), and their figure over threads, repeated: what
// it costs programs of threads to have all that they do to memory recorded on real cores, by `leap`
// and by `stride`: ./dev bench stride [--rounds N] [--quick] [--only KERNEL].
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../src/in_turns.hpp"
#include "../src/measuring.hpp"
#include "../src/table_options.hpp"
#include "../src/temporary_directory.hpp"

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

double seconds_of(const std::string& command) {
  const double start = wall_seconds();
  static_cast<void>(output_of(command));
  return wall_seconds() - start;
}

/// One program in its ways; commands of the shell.
class Ways {
 public:
  Ways(const Kernel& kernel, bool is_quick)
      : program_(directory_.path() + "/app"),
        arguments_(is_quick ? kernel.quick_arguments : kernel.arguments) {
    run_command(fmt::format("CC='{0} cc' CXX='{0} c++' '{1}/threads/build.sh' {2} '{3}'",
                            ORRERY_BINARY, ORRERY_PROGRAMS, kernel.name, program_));
  }
  [[nodiscard]] std::string normal(int threads) const {
    return fmt::format("'{}' {}", program_, fmt::format(fmt::runtime(arguments_), threads));
  }
  [[nodiscard]] std::string recorded(const std::string& method, int threads,
                                     const std::string& flags = "--quiet") const {
    return fmt::format("'{}' record {} --method {} -o '{}' {}", ORRERY_BINARY, flags, method, log(),
                       normal(threads));
  }
  [[nodiscard]] nlohmann::json counts(const std::string& method, int threads) const {
    return nlohmann::json::parse(output_of(recorded(method, threads, "--json"))).at("stats");
  }
  /// Values that were looked at for each read, of a small run in simulation whose bounds are late.
  [[nodiscard]] double comparisons() const {
    static_cast<void>(output_of(fmt::format(
        "'{}' run --quiet --preempt all --window 20us --record '{}' --method stride:lag=6 '{}'",
        ORRERY_BINARY, log(), program_)));
    const std::string printed =
        output_of(fmt::format("'{}' replay --stats --json '{}'", ORRERY_BINARY, log()));
    const auto found = nlohmann::json::parse(printed).at("stats").at("inference");
    return found.at("comparisons").get<double>() / std::max(found.at("reads").get<double>(), 1.0);
  }

 private:
  [[nodiscard]] std::string log() const { return directory_.path() + "/run.orr"; }

  TemporaryDirectory directory_;
  std::string program_;
  std::string arguments_;
};

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

class Tables {
 public:
  explicit Tables(const TableOptions& options)
      : options_(options), rounds_(options.rounds.value_or(options.is_quick ? 2 : 15)) {}

  void run() {
    print_programs();
    if (options_.only.empty()) print_means();
    print_over_threads();
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
    const Ways ways(kernel, options_.is_quick);
    const Turns turns(rounds_, {[&] { return seconds_of(ways.normal(2)); },
                                [&] { return seconds_of(ways.recorded("leap", 2)); },
                                [&] { return seconds_of(ways.recorded("stride", 2)); }});
    std::vector<double> leap_bytes;
    std::vector<double> stride_bytes;
    nlohmann::json counts;
    for (int i = 0; i < std::min(rounds_, 5); ++i) {
      leap_bytes.push_back(ways.counts("leap", 2).at("log_bytes").get<double>());
      counts = ways.counts("stride", 2);
      stride_bytes.push_back(counts.at("log_bytes").get<double>());
    }
    const double normal = turns.first().median;
    const double less = turns.difference(1).median / turns.difference(2).median;
    const double leap = estimate(leap_bytes).median;
    const double stride = estimate(stride_bytes).median;
    const double accesses = counts.at("accesses").get<double>();
    const double seconds = normal + turns.difference(2).median;
    const auto text = [&](std::size_t way) {
      const Estimate ratio = turns.ratio(way);
      return fmt::format("{:.1f} [{:.1f}, {:.1f}]", ratio.median, ratio.low, ratio.high);
    };
    fmt::print(
        "{:6} {:8.3f} {:11.0f} {:5.0f}% {:>22} {:>22} {:8.2f} {:9.0f} {:9.0f} {:7.2f} {:8.2f} "
        "{:9.3f}\n",
        kernel.name, normal, accesses, 100 * counts.at("reads").get<double>() / accesses, text(1),
        text(2), less, leap, stride, leap / stride, stride / seconds / 1e6, ways.comparisons());
    std::fflush(stdout);
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
  void print_over_threads() const {
    fmt::print(
        "\nThe same by more and more threads, once each; seconds, and bytes of the log\n\n"
        "{:6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        "", "threads", "normal", "leap", "stride", "leap B", "stride B");
    for (const char* const name : over_threads) {
      const Kernel& kernel = *std::ranges::find_if(
          kernels, [&](const Kernel& one) { return std::string(one.name) == name; });
      if (!options_.only.empty() && options_.only != name) continue;
      const Ways ways(kernel, options_.is_quick);
      for (int threads = 2; threads <= (options_.is_quick ? 8 : 64); threads *= 2) {
        fmt::print("{:6} {:8} {:9.3f}", name, threads, seconds_of(ways.normal(threads)));
        for (const char* const method : methods) {
          fmt::print(" {:9.3f}", seconds_of(ways.recorded(method, threads)));
        }
        for (const char* const method : methods) {
          fmt::print(" {:9.0f}", ways.counts(method, threads).at("log_bytes").get<double>());
        }
        fmt::print("\n");
        std::fflush(stdout);
      }
    }
  }

  TableOptions options_;
  int rounds_;
  std::vector<double> less_;
  std::vector<double> smaller_;
};

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    const orrery::bench::TableOptions options = orrery::bench::table_options(
        argc, argv, "usage: bench stride [--rounds N] [--quick] [--only KERNEL]");
    orrery::bench::Tables(options).run();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
