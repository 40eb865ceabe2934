// `./dev bench mpi` and `./dev bench mpi-usage`.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "mpi_bench.hpp"

namespace {

constexpr const char* usage =
    "usage: orrery_mpi_bench costs [--rounds N] [--quick] [--only WORDS]\n"
    "       orrery_mpi_bench usage [--verbose] [--only CLASS]\n";

}  // namespace

int main(int argc, char** argv) {
  orrery::bench::MpiBenchOptions options;
  bool is_verbose = false;
  const std::string_view table = argc > 1 ? argv[1] : "";
  bool is_understood = table == "costs" || table == "usage";
  for (int i = 2; i < argc && is_understood; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick" && table == "costs") {
      options.is_quick = true;
    } else if (word == "--verbose" && table == "usage") {
      is_verbose = true;
    } else if (word == "--rounds" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      options.rounds = std::atoi(argv[++i]);
    } else if (word == "--only" && i + 1 < argc) {
      options.only = argv[++i];
    } else {
      is_understood = false;
    }
  }
  if (!is_understood) {
    std::fputs(usage, stderr);
    return 2;
  }
  if (table == "usage") return orrery::bench::print_mpi_usage(options.only, is_verbose) ? 0 : 1;
  orrery::bench::print_mpi_costs(options);
  return 0;
}
