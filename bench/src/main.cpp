// `./dev bench`: measures everything and prints one table.
#include <cstdio>
#include <iterator>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "table.hpp"

namespace {

std::vector<orrery::bench::BenchmarkRow> all_rows() {
  std::vector<orrery::bench::BenchmarkRow> all;
  for (auto* const group :
       {orrery::bench::step_cost_rows, orrery::bench::run_rate_rows, orrery::bench::scale_rows,
        orrery::bench::log_cost_rows, orrery::bench::network_rate_rows,
        orrery::bench::cluster_scale_rows, orrery::bench::myrinet_rows}) {
    auto rows = group();
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  return all;
}

/// What this program does when it is started by itself.
constexpr std::pair<const char*, void (*)()> helpers[] = {
    {orrery::bench::memory_helper_flag, orrery::bench::print_memory_of_many_tasks},
    {orrery::bench::large_cluster_flag, orrery::bench::print_large_cluster},
    {orrery::bench::mpi_ranks_flag, orrery::bench::print_memory_of_mpi_ranks}};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) {
    for (const auto& [flag, print] : helpers) {
      if (std::string_view(argv[1]) != flag) continue;
      print();
      return 0;
    }
  }
  // Repetitions of different rows take turns, so that no row has all the bad moments.
  char interleaved[] = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, interleaved);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  const auto rows = all_rows();
  orrery::bench::register_rows(rows);
  orrery::bench::TableReporter table(rows);
  std::fputs("-- measuring for a minute or two\n", stderr);
  benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::Shutdown();
  return 0;
}
