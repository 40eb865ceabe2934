// What it takes to reach an interval of a long run, beside replaying the run from its beginning,
// and what is kept for it: ./dev bench incremental [--quick] [--only APP].
#include <array>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../src/table_options.hpp"
#include "../src/temporary_directory.hpp"
#include "simulated_app.hpp"

namespace orrery::bench {
namespace {

// Not hash_table: checkpoints take no one-sided operations.
constexpr std::array<App, 5> apps{{{"halo", "12 {} 0", 20},
                                   {"cg", "40000 12 100 {}", 1},
                                   {"cells", "400 {} 0", 20},
                                   {"sample_sort", "2000 {}", 4},
                                   {"farm", "11 3 {}", 1}}};

// The mini-apps use wildcards all the time, or never.
constexpr App sparse{"watched", "{}", 100, true};

constexpr const char* what_is_counted =
    "\ntraced, records: receives and probes of which the sender is kept, of all messages received, "
    "those within collectives too;\n"
    "  `orders` keeps the probe and the receive of a message that was probed, "
    "racing-messages-tight "
    "one of the two.\n"
    "outcomes: of polls, choices among requests and cancellations, which every method keeps; bytes "
    "are with them.\n"
    "logged: of the messages between ranks.  bytes a message: of intervals, piggybacked.\n"
    "Beside it: about 1 % traced (Netzer and Miller 1992), 1 to 10 % logged (Netzer and Xu "
    "1993).\n";

void run(const TableOptions& options) {
  const TemporaryDirectory directory;
  std::vector<SimulatedApp> chosen;
  for (const App& app : apps) {
    const bool is_chosen = options.only.empty() || options.only == app.name;
    if (is_chosen) chosen.emplace_back(app, directory.path());
  }
  fmt::print("{} ranks, 200 checkpoints each, {}; seconds of this machine\n\n", app_ranks,
             app_platform);
  print_intervals_header();
  for (const SimulatedApp& app : chosen) print_intervals(app, options.is_quick);
  print_records_header();
  for (const SimulatedApp& app : chosen) print_records(app);
  if (options.only.empty() || options.only == sparse.name) {
    print_records(SimulatedApp(sparse, directory.path()));
  }
  fmt::print("{}", what_is_counted);
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    orrery::bench::run(orrery::bench::table_options(
        argc, argv, "usage: bench incremental [--quick] [--only APP]"));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
