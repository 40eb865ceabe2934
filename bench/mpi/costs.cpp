#include <array>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measured.hpp"

namespace orrery::bench {
namespace {

/// A mini-app, larger than for searches; without its own serial check, where that is an option.
struct App {
  const char* name;
  const char* arguments;
  const char* quick_arguments;
  bool is_wrong_under_smpi = false;  ///< timed all the same
};
constexpr std::array<App, 6> apps{{{"halo", "24 40 0", "8 2 0"},
                                   {"cg", "4096 12 100", "256 6 100"},
                                   {"cells", "2000 40 0", "200 4 0"},
                                   {"sample_sort", "4000 8", "100 4"},
                                   {"farm", "10 4", "7 3"},
                                   {"hash_table", "6000 400 200", "200 40 40", true}}};

/// What several ratios come to.
void print_mean(const std::vector<double>& ratios, double target) {
  if (ratios.empty()) return;
  double sum = 0;
  for (const double ratio : ratios) sum += std::log(ratio);
  const double mean = std::exp(sum / static_cast<double>(ratios.size()));
  fmt::print("  geometric mean of {} ratios: {:.2f}  at least {} {}\n", ratios.size(), mean, target,
             mean >= target ? "met" : "missed");
}

}  // namespace

void print_mini_apps(const Table& table, const TemporaryDirectory& directory) {
  if (!has_smpi()) return;
  Table::print_header("Mini-apps, wall time of the whole run");
  const Cluster cluster(directory);
  std::vector<double> ratios;
  for (const App& app : apps) {
    if (!table.is_wanted(app.name)) continue;
    try {
      const std::string ours = build_app(directory, app.name, "ours");
      const std::string smpi = build_app(directory, app.name, "smpi");
      const char* const arguments = table.options().is_quick ? app.quick_arguments : app.arguments;
      for (const int ranks : {16, 64}) {
        const auto measure = [&]() -> Pair {
          const std::string end = fmt::format(" {}", arguments);
          const std::string anyway = app.is_wrong_under_smpi ? " || true" : "";
          return {measured(cluster.ours(ranks, ours) + end).wall_seconds,
                  measured(cluster.smpi(ranks, smpi) + end + anyway).wall_seconds};
        };
        const char* const remark = app.is_wrong_under_smpi ? " (wrong answer of SMPI)" : "";
        const double ratio = table.row(fmt::format("{} on {} ranks{}", app.name, ranks, remark),
                                       "s", {1, true, true}, measure);
        if (ratio > 0) ratios.push_back(ratio);
      }
    } catch (const std::exception& error) {
      fmt::print("  {:50} failed: {}\n", app.name, error.what());
    }
  }
  print_mean(ratios, 1.5);
}

void print_rates(const Table& table, const TemporaryDirectory& directory) {
  if (!has_smpi()) return;
  Table::print_header("Operations a second, by processor time of runs of two lengths");
  const Cluster cluster(directory);
  const std::string source = fmt::format("{}/rates.c", ORRERY_OWN_PROGRAMS);
  const std::string ours = directory.path() + "/rates-ours";
  const std::string smpi = directory.path() + "/rates-smpi";
  run_command(fmt::format("'{}' cc -O2 '{}' -o '{}'", ORRERY_BINARY, source, ours));
  run_command(fmt::format("smpicc -O2 '{}' -o '{}'", source, smpi));
  // `each`: operations that one pass of the loop does, on all ranks together.
  const auto rate = [](const std::string& command, const char* kind, int passes, double each) {
    const auto seconds = [&](int count) {
      return measured(fmt::format("{} {} {}", command, kind, count)).cpu_seconds;
    };
    const double once = seconds(passes);
    return 2 * passes * each / (seconds(3 * passes) - once);
  };
  struct Kind {
    const char* title;
    const char* name;
    int ranks;
    int passes;
    double each;
    const char* unit;
  };
  const std::array<Kind, 7> kinds{
      {{"ping-pong of 1 byte", "ping_pong", 2, 60'000, 1, "/s"},
       {"Isend/Irecv ring of 16 ranks", "ring", 16, 4'000, 16, "/s"},
       {"Isend/Irecv ring of 256 ranks", "ring", 256, 300, 256, "/s"},
       {"Isend/Irecv ring of 1,024 ranks", "ring", 1024, 80, 1024, "/s"},
       {"wildcard master of 256 ranks", "master", 256, 100, 510, "/s"},
       {"Allreduce of 8 bytes, 256 ranks", "allreduce", 256, 60, 1, "/s"},
       {"Barrier of 256 ranks", "barrier", 256, 60, 1, "/s"}}};
  for (const Kind& kind : kinds) {
    const int passes = table.options().is_quick ? std::max(1, kind.passes / 10) : kind.passes;
    table.row(kind.title, kind.unit, {3}, [&]() -> Pair {
      return {rate(cluster.ours(kind.ranks, ours), kind.name, passes, kind.each),
              rate(cluster.smpi(kind.ranks, smpi), kind.name, passes, kind.each)};
    });
  }
}

void print_sizes(const Table& table, const TemporaryDirectory& directory) {
  Table::print_header("Many ranks");
  const Cluster cluster(directory);
  const std::string rates = directory.path() + "/rates-sizes";
  run_command(
      fmt::format("'{}' cc -O2 '{}/rates.c' -o '{}'", ORRERY_BINARY, ORRERY_OWN_PROGRAMS, rates));
  const auto run = [&](int ranks, const char* arguments) {
    return measured(fmt::format("'{}' run --quiet -n {} --platform ethernet-1g '{}' {}",
                                ORRERY_BINARY, ranks, rates, arguments));
  };
  table.row("1,024 ranks started and ended, wall time", "s", {0.4, false},
            [&]() -> Pair { return {run(1024, "none 0").wall_seconds}; });
  // What a rank has beside its program's image: stack, state, what the loader keeps of it.
  const auto anonymous = [&](int ranks) {
    return most_anonymous_megabytes(
        fmt::format("'{}' run --quiet -n {} --platform ethernet-1g '{}' barrier 40", ORRERY_BINARY,
                    ranks, rates));
  };
  table.row("memory of each of 1,024 ranks beside its image", "KB", {64, false}, [&]() -> Pair {
    return {(anonymous(1024) - anonymous(64)) * 1e6 / 1024 / (1024 - 64)};
  });
  table.row("4,096 ranks of a ring, wall time", "s", {60, false},
            [&]() -> Pair { return {run(4096, "ring 4").wall_seconds}; });
  try {
    const std::string halo = build_app(directory, "halo", "large", "-DGRID_CELLS_MAX=65536");
    const auto large = [&](const char* arguments) {
      return measured(
          fmt::format("'{}' run --quiet --step-limit 1000000000 -n 1024 --platform "
                      "ethernet-1g '{}' {}",
                      ORRERY_BINARY, halo, arguments));
    };
    table.row("halo, 1,024 ranks with 1 MB of globals: start", "s", {3, false},
              [&]() -> Pair { return {large("16 0 0").wall_seconds}; });
    table.row("halo, 1,024 ranks with 1 MB of globals: memory", "MB", {3221, false},
              [&]() -> Pair { return {large("32 2 0").megabytes}; });
  } catch (const std::exception& error) {
    fmt::print("  halo with 1 MB of globals failed: {}\n", error.what());
  }
}

void print_checks(const Table& table, const TemporaryDirectory& directory) {
  Table::print_header("What the checks of use cost: processor time of the whole run", "without");
  const Cluster cluster(directory);
  for (const App& app : apps) {
    const std::string title = fmt::format("usage checks: {} on 16 ranks", app.name);
    if (!table.is_wanted(title)) continue;
    try {
      const std::string program = build_app(directory, app.name, "checked");
      const char* const arguments = table.options().is_quick ? app.quick_arguments : app.arguments;
      const auto seconds = [&](const char* checks) {
        return measured(fmt::format("{} {}", cluster.ours(16, program, checks), arguments))
            .cpu_seconds;
      };
      // Each side is first once: what the machine does besides falls on both.
      table.row(title, "s", {1.2, false}, [&]() -> Pair {
        Pair pair{seconds("all"), seconds("arguments")};
        pair.peer += seconds("arguments");
        pair.ours += seconds("all");
        return pair;
      });
    } catch (const std::exception& error) {
      fmt::print("  {:50} failed: {}\n", title, error.what());
    }
  }
}

void print_searches(const Table& table, const TemporaryDirectory& directory) {
  Table::print_header("Searches of 4 ranks, default sizes, by processor time of two budgets");
  for (const App& app : apps) {
    if (!table.is_wanted(app.name)) continue;
    try {
      const std::string program = build_app(directory, app.name, "search");
      const auto seconds = [&](int runs) {
        return measured(fmt::format("cd '{}' && '{}' explore --quiet -n 4 --runs {} '{}'",
                                    directory.path(), ORRERY_BINARY, runs, program))
            .cpu_seconds;
      };
      const int runs = table.options().is_quick ? 50 : 500;
      table.row(fmt::format("explore {}", app.name), "runs/s", {1000}, [&]() -> Pair {
        const double once = seconds(runs);
        return {2 * runs / (seconds(3 * runs) - once)};
      });
    } catch (const std::exception& error) {
      fmt::print("  explore {:42} failed: {}\n", app.name, error.what());
    }
  }
}

}  // namespace orrery::bench
