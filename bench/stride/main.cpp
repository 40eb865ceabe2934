// Tables II and III of Zhou, Xiao and Zhang (Stride), and their figures over threads, repeated:
// what it costs programs of threads to have all that they do to memory recorded on real cores:
// ./dev bench stride [--rounds N] [--quick] [--only KERNEL|programs|protected|groups|threads].  The
// first argument is where CSV files and pictures go.
#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "../src/in_turns.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

constexpr std::array<Kernel, 9> all_kernels{{{"lu", "512 {} 16", "256 {} 16", "64 {} 16"},
                                             {"fft", "9 {}", "8 {}", "5 {}"},
                                             {"radix", "1000000 {} 8", "200000 {} 8", "5000 {} 8"},
                                             {"ocean", "300 {} 60", "100 {} 60", "30 {} 5"},
                                             {"steal", "13 {} 3", "12 {} 3", "8 {} 2"},
                                             {"nbody", "500 {} 20", "200 {} 20", "40 {} 5"},
                                             {"cache", "1000 {} 3", "300 {} 3", "30 {} 3"},
                                             {"bank", "200000 {} 64", "20000 {} 64", "500 {} 64"},
                                             {"pool", "20000 {} 64", "5000 {} 64", "200 {} 64"}}};
constexpr std::array<const char*, 4> tables{"programs", "protected", "groups", "threads"};

bool is_table(const std::string& word) {
  return std::ranges::find(tables, word) != tables.end();
}

void print_tables(const StrideBench& bench) {
  std::filesystem::create_directories(bench.pictures);
  if (bench.wants("programs")) print_programs(bench);
  if (bench.wants("protected")) print_protected(bench);
  if (bench.wants("groups")) print_groups(bench);
  if (bench.wants("threads")) print_over_threads(bench);
}

}  // namespace

std::vector<Kernel> StrideBench::kernels() const {
  std::vector<Kernel> kernels;
  for (const Kernel& kernel : all_kernels) {
    if (is_of_all() || options.only == kernel.name) kernels.push_back(kernel);
  }
  if (!kernels.empty()) return kernels;
  throw UsageError("is no program and no table", options.only,
                   "--only takes a program's name, or programs, protected, groups or threads");
}

bool StrideBench::is_of_all() const {
  return options.only.empty() || is_table(options.only);
}

bool StrideBench::wants(const std::string& table) const {
  return !is_table(options.only) || options.only == table;
}

double RecordedRuns::record() {
  const auto begin = std::chrono::steady_clock::now();
  const std::string told =
      output_of(program_.recorded(threads_, fmt::format("--json --method '{}'", method_)));
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  counts_ = nlohmann::json::parse(told).at("stats");
  writing_.push_back(whole.count() - count("command_seconds"));
  log_bytes_.push_back(count("log_bytes"));
  return count("command_seconds");
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    const orrery::bench::TableOptions options =
        orrery::bench::table_options(argc - 1, argv + 1,
                                     "usage: bench stride [--rounds N] [--quick] [--only "
                                     "KERNEL|programs|protected|groups|threads]");
    orrery::bench::print_tables({options, argv[1]});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
