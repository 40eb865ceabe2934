#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../src/measuring.hpp"
#include "simulated_app.hpp"

namespace orrery::bench {
namespace {

constexpr int checkpoints_a_rank = 200;
constexpr int sampled_intervals = 11;
// Targets.
constexpr double interval_share_max = 0.05;  // of replaying the longest run from its beginning
constexpr double logged_share_max = 0.30;    // of the bytes of all messages between ranks

double share(const Json& part, const Json& all) {
  return part.get<double>() / all.get<double>();
}

/// Seconds of this machine; a median where there are several.
struct Times {
  double recorded = 0;
  double whole = 0;
  double interval = 0;     ///< with what it depends on
  double by_contents = 0;  ///< the same alone, from a log of all messages
};

Json record_with_checkpoints(const SimulatedApp& app, int rounds, double virtual_seconds,
                             const char* method) {
  const double period_ms = virtual_seconds * 1e3 / checkpoints_a_rank;
  return app.record(rounds,
                    fmt::format("--method {} --checkpoint-every {:.3f}ms", method, period_ms));
}

/// The median over some intervals, drawn at random.
double seconds_of_interval(const SimulatedApp& app, double virtual_seconds) {
  std::mt19937 random(1);
  std::vector<double> seconds;
  for (int i = 0; i < sampled_intervals; ++i) {
    const int rank = std::uniform_int_distribution<int>(0, app_ranks - 1)(random);
    const double date_ms =
        std::uniform_real_distribution<double>(0, 0.95)(random) * virtual_seconds * 1e3;
    const double start = wall_seconds();
    const Json replayed = app.replay(fmt::format("--at {:.3f}ms --rank {}", date_ms, rank));
    seconds.push_back(wall_seconds() - start);
    if (!replayed.at("stats").at("memory_matches").get<bool>()) {
      throw std::runtime_error(
          fmt::format("{}: an interval of rank {} left another memory", app.app().name, rank));
    }
  }
  return median(seconds);
}

void print_row(const SimulatedApp& app, double virtual_seconds, const Json& stats,
               const Times& times) {
  const Json& kept = stats.at("recording");
  const Json& checkpoints = stats.at("checkpoints");
  fmt::print(
      "{:12} {:8.0f} {:9} {:7.2f} {:7.2f} {:7.2f} {:8.1f} {:8.1f} {:8.1f} {:8.3f} {:7.2f} "
      "{:8.3f}\n",
      app.app().name, virtual_seconds, kept.at("messages").get<std::uint64_t>(),
      100 * share(kept.at("kept"), kept.at("messages")),
      100 * share(checkpoints.at("logged_messages"), checkpoints.at("messages_between_ranks")),
      100 * share(checkpoints.at("logged_bytes"), checkpoints.at("message_bytes")),
      share(checkpoints.at("piggybacked_bytes"), checkpoints.at("messages_between_ranks")),
      times.recorded, times.whole, times.interval, 100 * times.interval / times.whole,
      times.by_contents);
  std::fflush(stdout);
}

std::string verdict(double value, double most) {
  return fmt::format("{:.1f} % <= {:.0f} % {}", 100 * value, 100 * most,
                     value <= most ? "met" : "missed");
}

}  // namespace

void print_intervals_header() {
  fmt::print("{:12} {:>8} {:>9} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8}\n", "",
             "virtual", "", "traced", "logged", "logged", "bytes a", "recorded", "whole",
             "interval", "of it", "all");
  fmt::print("{:12} {:>8} {:>9} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8}\n",
             "mini-app", "s", "messages", "%", "%", "bytes %", "message", "s", "replay s", "s", "%",
             "logged s");
}

void print_intervals(const SimulatedApp& app, bool is_quick) {
  const std::vector<double> lengths =
      is_quick ? std::vector<double>{10} : std::vector<double>{10, 100, 1000};
  double interval_share = 0;
  double logged_share = 0;
  for (const double virtual_seconds : lengths) {
    const int rounds = app.rounds_for(virtual_seconds);
    Times times;
    const Json all_logged = record_with_checkpoints(app, rounds, virtual_seconds, "contents");
    const double lasted = all_logged.at("virtual_time_ns").get<double>() * 1e-9;
    times.by_contents = seconds_of_interval(app, lasted);
    const double recording = wall_seconds();
    const Json stats =
        record_with_checkpoints(app, rounds, virtual_seconds, "racing-messages-tight").at("stats");
    times.recorded = wall_seconds() - recording;
    const double replaying = wall_seconds();
    static_cast<void>(app.replay("--virtual-limit inf"));
    times.whole = wall_seconds() - replaying;
    times.interval = seconds_of_interval(app, lasted);
    print_row(app, lasted, stats, times);
    const Json& checkpoints = stats.at("checkpoints");
    interval_share = times.interval / times.whole;
    logged_share = share(checkpoints.at("logged_bytes"), checkpoints.at("message_bytes"));
  }
  if (!is_quick) {
    fmt::print("{:12} of the longest: an interval {}; logged bytes {}\n", app.app().name,
               verdict(interval_share, interval_share_max),
               verdict(logged_share, logged_share_max));
  }
}

}  // namespace orrery::bench
