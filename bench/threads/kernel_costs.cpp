#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../src/measuring.hpp"
#include "../src/temporary_directory.hpp"
#include "commands.hpp"
#include "thread_bench.hpp"

namespace orrery::bench {
namespace {

struct Kernel {
  const char* name;
  const char* arguments;
  const char* quick_arguments;
  bool is_numeric;  ///< one of those whose geometric mean has a target
};
constexpr std::array<Kernel, 9> kernels{{{"fft", "10 4", "7 4", true},
                                         {"lu", "768 4 16", "128 4 16", true},
                                         {"radix", "4000000 4 8", "100000 4 8", true},
                                         {"ocean", "600 4 100", "60 4 10", false},
                                         {"nbody", "4000 4 20 16", "500 4 5 8", false},
                                         {"steal", "14 4 3", "8 4 2", false},
                                         {"pool", "100000 3 64", "1000 3 64", false},
                                         {"bank", "300000 4 64", "2000 4 64", false},
                                         {"cache", "3000 3 4", "100 3 4", false}}};

/// A way to run a kernel; its column is how many times as long as the native one it takes.
struct Way {
  const char* name;
  std::string before;  ///< what stands before the path of the program
  const char* build;   ///< the file that is run
  bool is_valgrind = false;
};

constexpr const char* native_build = "native";
constexpr const char* orrery_program = "app";
constexpr const char* sanitized_build = "tsan";

const std::vector<Way>& ways() {
  // Without fixed addresses ThreadSanitizer of these compilers dies on newer kernels.
  static const std::vector<Way> all{
      {"./app", on_one_core, orrery_program},
      {"sync", simulated_run("--preempt sync"), orrery_program},
      {"fasttrack", simulated_run("--detect fasttrack"), orrery_program},
      {"TSan", on_one_core + "setarch -R ", sanitized_build},
      {"Helgrind", on_one_core + "valgrind -q --tool=helgrind ", native_build, true},
      {"DRD", on_one_core + "valgrind -q --tool=drd ", native_build, true}};
  return all;
}

constexpr double failed = -1;

/// Slowdowns of all kernels, by way and kernel.
class Table {
 public:
  Table(const ThreadBenchOptions& options, const Compiler& compiler)
      : options_(options), compiler_(compiler) {}

  void measure_and_print();

 private:
  void build(const Kernel& kernel, const std::string& directory) const;
  double slowdown(const Kernel& kernel, const Way& way, const std::string& directory);
  [[nodiscard]] double mean(const char* way, bool only_numeric) const;
  void print_means(const char* title, bool only_numeric) const;
  void print_verdicts() const;

  const ThreadBenchOptions& options_;
  const Compiler& compiler_;
  std::map<std::string, std::map<std::string, double>> slowdowns_;
  std::vector<double> native_seconds_;
};

void Table::build(const Kernel& kernel, const std::string& directory) const {
  const auto one = [&](const std::string& compilers, const char* output, const char* flags) {
    run_command(fmt::format("{} '{}/threads/build.sh' {} '{}/{}' {}", compilers, ORRERY_PROGRAMS,
                            kernel.name, directory, output, flags));
  };
  // Valgrind 3.19 cannot read what clang writes for gdb by default.
  one(plain_build(compiler_), native_build, "-gdwarf-4");
  one(plain_build(compiler_), sanitized_build, "-fsanitize=thread");
  one(orrery_build(compiler_), orrery_program, "");
}

double Table::slowdown(const Kernel& kernel, const Way& way, const std::string& directory) {
  const char* const arguments = options_.is_quick ? kernel.quick_arguments : kernel.arguments;
  const auto command = [&](const std::string& before, const char* build) {
    return fmt::format("cd '{}' && {}./{} {}", directory, before, build, arguments);
  };
  std::vector<double> ratios;
  const int rounds = way.is_valgrind ? 1 : options_.rounds;
  try {
    for (int round = 0; round < rounds; ++round) {
      const double native = cpu_seconds_of(command(on_one_core, native_build));
      ratios.push_back(cpu_seconds_of(command(way.before, way.build)) / native);
      native_seconds_.push_back(native);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{} with {}, {}: {}\n", kernel.name, compiler_.name, way.name, error.what());
    return failed;
  }
  return median(ratios);
}

double Table::mean(const char* way, bool only_numeric) const {
  double sum = 0;
  int count = 0;
  for (const Kernel& kernel : kernels) {
    if (only_numeric && !kernel.is_numeric) continue;
    const auto row = slowdowns_.find(kernel.name);
    if (row == slowdowns_.end()) continue;
    const auto value = row->second.find(way);
    if (value == row->second.end() || value->second == failed) return failed;
    sum += std::log(value->second);
    ++count;
  }
  return count == 0 ? failed : std::exp(sum / count);
}

std::string cell(double value) {
  return value == failed ? "-" : fmt::format("{:.2f}", value);
}

void Table::print_means(const char* title, bool only_numeric) const {
  fmt::print("{:24}", title);
  for (const Way& way : ways()) fmt::print(" {:>9}", cell(mean(way.name, only_numeric)));
  fmt::print("\n");
}

void print_verdict(const std::string& what, double value, double at_most) {
  const char* const verdict = value == failed    ? "not measured"
                              : value <= at_most ? "met"
                                                 : "missed";
  fmt::print("  {:54} {:>7}  at most {:<5.3g} {}\n", what, cell(value), at_most, verdict);
}

double quotient(double above, double below) {
  return above == failed || below == failed ? failed : above / below;
}

void Table::print_verdicts() const {
  const bool is_clang = std::string(compiler_.name) == "clang";
  const double sync = mean("sync", true), detected = mean("fasttrack", true);
  print_verdict("--preempt sync of fft, lu, radix, against native", sync, is_clang ? 1.3 : 3.5);
  print_verdict("./app of fft, lu, radix, against native", mean("./app", true), 1.15);
  print_verdict("--detect fasttrack, against ThreadSanitizer",
                quotient(detected, mean("TSan", true)), 1.2);
  print_verdict("--detect fasttrack, against Helgrind", quotient(detected, mean("Helgrind", true)),
                0.5);
}

void Table::measure_and_print() {
  fmt::print("\n{}, times as long as native on one core\n{:8} {:15}", compiler_.name, "", "native");
  for (const Way& way : ways()) fmt::print(" {:>9}", way.name);
  fmt::print("\n");
  for (const Kernel& kernel : kernels) {
    if (!options_.only.empty() && options_.only != kernel.name) continue;
    const TemporaryDirectory directory;
    try {
      build(kernel, directory.path());
    } catch (const std::exception& error) {
      fmt::print("{:8} cannot be built: {}\n", kernel.name, error.what());
      continue;
    }
    native_seconds_.clear();
    auto& row = slowdowns_[kernel.name];
    for (const Way& way : ways()) {
      if (way.is_valgrind && (!options_.has_valgrind || !is_installed("valgrind"))) continue;
      row[way.name] = slowdown(kernel, way, directory.path());
    }
    fmt::print("{:8} {:13.3f} s", kernel.name, median(native_seconds_));
    for (const Way& way : ways()) {
      fmt::print(" {:>9}", row.count(way.name) == 0 ? "-" : cell(row.at(way.name)));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  if (!options_.only.empty()) return;
  print_means("geometric mean of all", false);
  print_means("of fft, lu and radix", true);
  print_verdicts();
}

}  // namespace

void print_kernel_costs(const ThreadBenchOptions& options) {
  for (const Compiler& compiler : compilers) Table(options, compiler).measure_and_print();
}

}  // namespace orrery::bench
