// The tables and figures of Ronsse, Christiaens and De Bosschere (RecPlay), repeated, and what else
// there is to measure of threads that are recorded, replayed and looked at for data races:
// ./dev bench recplay [--rounds N] [--quick] [--only KERNEL|costs|segments|detectors|logs].
// The first argument is where CSV files and pictures go.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "tables.hpp"

namespace orrery::bench {
namespace {

constexpr std::array<Kernel, 9> all_kernels{
    {{"lu", "LU", "1536 {} 16", "128 {} 16", true, "factor.c"},
     {"fft", "FFT", "11 {}", "7 {}", true, "plan.c"},
     {"radix", "radix", "50000000 {} 8", "100000 {} 8", true, nullptr},
     {"ocean", "ocean: a stencil", "400 {} 1500", "60 {} 20", true, "solver.c"},
     {"steal", "cholesky: a graph of tasks", "15 {} 4", "8 {} 2", true, nullptr},
     {"nbody", "water: bodies and locks", "8000 {} 40 16", "200 {} 3 4", true, "space.cpp"},
     {"bank", "many locks", "1000000 {} 64", "2000 {} 64", false, nullptr},
     {"pool", "a free list, atomics", "200000 {} 64", "1000 {} 64", false, nullptr},
     {"cache", "a cache with readers", "2000 {} 4", "50 {} 4", false, nullptr}}};
constexpr std::array<const char*, 4> tables{"costs", "segments", "detectors", "logs"};

bool is_table(const std::string& word) {
  return std::ranges::find(tables, word) != tables.end();
}

}  // namespace

std::vector<Kernel> RecplayBench::kernels() const {
  const bool wants_all = options.only.empty() || is_table(options.only);
  std::vector<Kernel> kernels;
  for (const Kernel& kernel : all_kernels) {
    if (wants_all || options.only == kernel.name) kernels.push_back(kernel);
  }
  if (!kernels.empty()) return kernels;
  throw UsageError("is no program and no table", options.only,
                   "--only takes a program's name, or costs, segments, detectors or logs");
}

bool RecplayBench::wants(const std::string& table) const {
  return !is_table(options.only) || options.only == table;
}

namespace {

void print_tables(const RecplayBench& bench) {
  std::filesystem::create_directories(bench.pictures);
  if (bench.wants("costs")) print_costs(bench);
  if (bench.wants("segments")) print_segments(bench);
  if (bench.wants("detectors")) print_detectors(bench);
  if (bench.wants("logs")) print_logs(bench);
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    const orrery::bench::TableOptions options =
        orrery::bench::table_options(argc - 1, argv + 1,
                                     "usage: bench recplay [--rounds N] [--quick] [--only "
                                     "KERNEL|costs|segments|detectors|logs]");
    orrery::bench::print_tables({options, argv[1]});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
