// What recorders change of a run, over message rates: ./dev bench probe-effect [--quick] [--only
// NETWORK].  The first argument is where the pictures go.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "../src/table_options.hpp"
#include "../src/temporary_directory.hpp"
#include "sweep.hpp"

namespace orrery::bench {
namespace {

void print(const Sweep& sweep) {
  fmt::print("\n{}, {}: of each recorder, beside none\n{:>12} {:>12}", sweep.network, sweep.program,
             "asked /s", "came /s");
  for (const ProbedRecorder& one : probed_recorders()) fmt::print("  {:>34}", one.name);
  fmt::print("\n");
  for (const RatePoint& point : sweep.points) {
    fmt::print("{:12.0f} {:12.0f}", point.asked_per_second, point.messages_per_second);
    for (const Probed& probed : point.probed) {
      fmt::print("  {:+8.3f} % {:7.1f} ns {:5.1f} {:4.1f} %", 100 * probed.time_added,
                 probed.host_ns, probed.cycles, 100 * probed.reordered);
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

void run(const std::filesystem::path& pictures, const TableOptions& options) {
  const TemporaryDirectory directory;
  const std::string binary = directory.path() + "/rates";
  run_command(fmt::format("'{}' cc -O2 '{}/rates.c' -o '{}' -lm", ORRERY_BINARY,
                          ORRERY_OWN_PROGRAMS, binary));
  std::filesystem::create_directories(pictures);
  fmt::print(
      "What recorders change of a run: virtual time of the whole run; processor time of hosts and "
      "cycles of cards\nor ports, for each message to rank 0; messages that came in another "
      "order.  16 ranks, one a host.\n");
  for (const MyrinetPreset& preset : myrinet_presets()) {
    const std::string network(preset.name);
    if (!options.only.empty() && options.only != network) continue;
    for (const char* const program : {"stream", "farm"}) {
      const Sweep one = sweep(binary, network, program, options.is_quick);
      print(one);
      const auto file = pictures / fmt::format("probe-effect-{}-{}.svg", program,
                                               network.substr(network.find('-') + 1));
      std::ofstream out(file, std::ios::binary);
      out << picture(one);
      out.close();
      if (!out) {
        throw UsageError("cannot be written", file.string(), "give a place that can be written to");
      }
    }
  }
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  constexpr const char* usage = "usage: bench probe-effect [--quick] [--only NETWORK]";
  try {
    if (argc < 2) throw orrery::UsageError("no directory for the pictures", "DIR", usage);
    const std::string pictures = argv[1];
    orrery::bench::run(pictures, orrery::bench::table_options(argc - 1, argv + 1, usage));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
