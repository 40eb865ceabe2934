// `./dev bench threads`: measures the threaded programs and prints the tables.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "thread_bench.hpp"

namespace {

constexpr const char* usage =
    "usage: orrery_thread_bench [--rounds N] [--quick] [--no-valgrind] [--only "
    "PROGRAM|operations]\n";

}  // namespace

int main(int argc, char** argv) {
  orrery::bench::ThreadBenchOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      options.is_quick = true;
    } else if (word == "--no-valgrind") {
      options.has_valgrind = false;
    } else if (word == "--rounds" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      options.rounds = std::atoi(argv[++i]);
    } else if (word == "--only" && i + 1 < argc) {
      options.only = argv[++i];
    } else {
      std::fputs(usage, stderr);
      return 2;
    }
  }
  if (options.only != "operations") orrery::bench::print_kernel_costs(options);
  if (options.only.empty() || options.only == "operations") {
    orrery::bench::print_operation_costs(options);
  }
  return 0;
}
