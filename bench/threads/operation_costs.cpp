#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../src/measuring.hpp"
#include "../src/temporary_directory.hpp"
#include "commands.hpp"
#include "thread_bench.hpp"

namespace orrery::bench {
namespace {

/// Programs of bench/threads/programs, built with gcc for both sides.
class SmallPrograms {
 public:
  explicit SmallPrograms(const ThreadBenchOptions& options) : options_(options) {}

  /// Builds `name`; returns the path, to which `-native` and `-simulated` are added.
  [[nodiscard]] std::string build(const std::string& name, const std::string& flags = {}) const;

  /// Nanoseconds of one pass of a program's loop: from two lengths, so that starting is not
  /// counted.
  [[nodiscard]] static double pass_ns(const std::string& command, long count);

  /// The time of one run of a search of a program, in microseconds.
  [[nodiscard]] double run_us(const std::string& path, int runs) const;

  /// `measure` as often as is wanted; prints the median of its figures and of its ratios.
  void print(const std::string& title, const char* unit, double target,
             const std::function<std::pair<double, double>()>& measure) const;

  [[nodiscard]] int scaled(int count) const { return options_.is_quick ? count / 20 : count; }

 private:
  const ThreadBenchOptions& options_;
  TemporaryDirectory directory_;
};

std::string SmallPrograms::build(const std::string& name, const std::string& flags) const {
  const std::string path = directory_.path() + "/" + name;
  const std::string source = fmt::format("'{}/{}.c'", ORRERY_OWN_PROGRAMS, name);
  run_command(fmt::format("gcc -O2 -g -pthread {} {} -o '{}-native'", flags, source, path));
  run_command(fmt::format("ORRERY_CC=gcc '{}' cc -O2 -g -pthread {} {} -o '{}-simulated'",
                          ORRERY_BINARY, flags, source, path));
  return path;
}

double SmallPrograms::pass_ns(const std::string& command, long count) {
  const double once = cpu_seconds_of(fmt::format("{} {}", command, count));
  const double thrice = cpu_seconds_of(fmt::format("{} {}", command, 3 * count));
  return (thrice - once) * 1e9 / static_cast<double>(2 * count);
}

double SmallPrograms::run_us(const std::string& path, int runs) const {
  const auto seconds = [&path](int count) {
    return cpu_seconds_of(
        fmt::format("{}'{}' explore --quiet --preempt sync --runs {} '{}-simulated'", on_one_core,
                    ORRERY_BINARY, count, path));
  };
  const double once = seconds(runs);
  return (seconds(3 * runs) - once) * 1e6 / (2.0 * runs);
}

void SmallPrograms::print(const std::string& title, const char* unit, double target,
                          const std::function<std::pair<double, double>()>& measure) const {
  std::vector<double> figures, ratios;
  try {
    for (int round = 0; round < options_.rounds; ++round) {
      const auto [figure, peer] = measure();
      figures.push_back(figure);
      if (peer > 0) ratios.push_back(figure / peer);
    }
  } catch (const std::exception& error) {
    fmt::print("  {:52} failed: {}\n", title, error.what());
    return;
  }
  const double judged = ratios.empty() ? median(figures) : median(ratios);
  fmt::print("  {:52} {:>9.1f} {:4} {:>8}  at most {:<5.4g} {}\n", title, median(figures), unit,
             ratios.empty() ? "" : fmt::format("x {:.2f}", judged), target,
             judged <= target ? "met" : "missed");
  std::fflush(stdout);
}

void print_loops(const SmallPrograms& programs) {
  const auto beside_native = [&programs](const char* name, int count) {
    const std::string path = programs.build(name);
    return [path, count = programs.scaled(count)]() -> std::pair<double, double> {
      const double native =
          SmallPrograms::pass_ns(fmt::format("{}'{}-native'", on_one_core, path), count);
      const double simulated =
          SmallPrograms::pass_ns(simulated_run("") + fmt::format("'{}-simulated'", path), count);
      return {simulated, native};
    };
  };
  programs.print("lock + unlock, one enabled task; ratio to pthread's", "ns", 1.5,
                 beside_native("locks", 5'000'000));
  programs.print("create + join; ratio to pthread's", "ns", 1, beside_native("creations", 8'000));
}

void print_restarts(const SmallPrograms& programs) {
  // What a run costs more than one of the same program with next to no state.
  const std::string small = programs.build("state");
  const auto more_than_small = [&](const char* flags, int runs) {
    const std::string copy = small + "-small-simulated";
    run_command(fmt::format("cp '{}-simulated' '{}'", small, copy));
    const std::string large = programs.build("state", flags);
    return [&programs, small, large, runs = programs.scaled(runs)]() -> std::pair<double, double> {
      return {programs.run_us(large, runs) - programs.run_us(small + "-small", runs), 0};
    };
  };
  programs.print("restart with 1 MB of state, all touched", "us", 60,
                 more_than_small("-DSTATE_BYTES=1048576 -DTOUCHED_BYTES=1048576", 2'000));
  programs.print("restart with 64 MB of state, 1 MB of it touched", "us", 2000,
                 more_than_small("-DSTATE_BYTES=67108864 -DTOUCHED_BYTES=1048576", 200));
}

void print_rates(const SmallPrograms& programs) {
  const std::string path = programs.build("hundred_lines");
  programs.print("a run of a search of 100 lines (200 us: 5,000 a second)", "us", 200,
                 [&]() -> std::pair<double, double> {
                   return {programs.run_us(path, programs.scaled(10'000)), 0};
                 });
  const std::string many = programs.build("many");
  for (const int threads : {1'000, 10'000}) {
    const auto run = [&, threads]() -> std::pair<double, double> {
      const double native =
          cpu_seconds_of(fmt::format("{}'{}-native' {}", on_one_core, many, threads));
      return {
          1e3 * cpu_seconds_of(simulated_run("") + fmt::format("'{}-simulated' {}", many, threads)),
          1e3 * native};
    };
    programs.print(fmt::format("{} threads at once; ratio to native", threads), "ms", 10, run);
  }
}

}  // namespace

void print_operation_costs(const ThreadBenchOptions& options) {
  const SmallPrograms programs(options);
  fmt::print("\nSingle operations (gcc), processor time\n");
  for (auto* const group : {print_loops, print_restarts, print_rates}) {
    try {
      group(programs);
    } catch (const std::exception& error) {
      fmt::print("  failed: {}\n", error.what());
    }
  }
}

}  // namespace orrery::bench
