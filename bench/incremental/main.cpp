// What it takes to reach an interval of a long run, beside replaying the run from its beginning,
// and what is kept for it: ./dev bench incremental [--quick] [--only APP].
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../src/measuring.hpp"
#include "../src/temporary_directory.hpp"

namespace orrery::bench {
namespace {

using Json = nlohmann::json;

/// A mini-app that can go on for as long as is wanted.
struct App {
  const char* name;
  const char* arguments;  ///< with a place for the number of rounds
  int probed_rounds;      ///< so many tell how long one takes
};
constexpr std::array<App, 3> apps{
    {{"halo", "12 {} 0", 20}, {"cells", "400 {} 0", 20}, {"sample_sort", "2000 {}", 4}}};

constexpr int ranks = 4;
constexpr int checkpoints_a_rank = 200;
constexpr double target = 0.05;  // of replaying the longest run from its beginning
// A message takes so long that a run of seconds has thousands of rounds, not millions.
constexpr const char* platform = "constant:latency=10ms";

struct Options {
  bool is_quick = false;
  std::string only;
};

Json output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no process can be made");
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  if (pclose(pipe) != 0) throw std::runtime_error(command + "\n" + text);
  return Json::parse(text);
}

/// Medians, where there are several.
struct Times {
  double recorded_s = 0;
  double whole_s = 0;
  double interval_s = 0;     ///< with what it depends on
  double by_contents_s = 0;  ///< the same alone, from a log of all messages
};

/// One run of one app.
class Measurement {
 public:
  Measurement(const App& app, const std::string& directory, double virtual_seconds)
      : app_(app), directory_(directory), virtual_seconds_(virtual_seconds) {}

  /// Prints the row; the share of the time of a whole replay that an interval takes.
  double print() {
    const Json probe = output_of(
        fmt::format("{} run --json {} {}", orrery(), machine(), program(app_.probed_rounds)));
    const double probed = probe.at("virtual_time_ns").get<double>() * 1e-9;
    const int rounds = static_cast<int>(app_.probed_rounds * virtual_seconds_ / probed) + 1;
    Times times;
    record(rounds, "contents");
    times.by_contents_s = seconds_of_interval();
    const double recording = wall_seconds();
    const Json stats = record(rounds, "racing-messages-tight").at("stats");
    times.recorded_s = wall_seconds() - recording;
    const double start = wall_seconds();
    output_of(fmt::format("{} replay --json --virtual-limit inf '{}'", orrery(), log()));
    times.whole_s = wall_seconds() - start;
    times.interval_s = seconds_of_interval();
    print_row(stats, times);
    return times.interval_s / times.whole_s;
  }

 private:
  static std::string orrery() { return fmt::format("'{}'", ORRERY_BINARY); }
  static std::string machine() {
    return fmt::format("--platform {} --step-limit {} --virtual-limit inf --wall-limit inf -n {}",
                       platform, INT64_MAX, ranks);
  }
  [[nodiscard]] std::string log() const { return fmt::format("{}/{}.orr", directory_, app_.name); }
  [[nodiscard]] std::string program(int rounds) const {
    return fmt::format("'{}/{}' {}", directory_, app_.name,
                       fmt::format(fmt::runtime(app_.arguments), rounds));
  }

  Json record(int rounds, const char* method) const {
    run_command(fmt::format("rm -rf '{0}' '{0}.images'", log()));
    const double period_ms = virtual_seconds_ * 1e3 / checkpoints_a_rank;
    return output_of(
        fmt::format("{} run --json --stats --record '{}' --method {} "
                    "--checkpoint-every {:.3f}ms {} {}",
                    orrery(), log(), method, period_ms, machine(), program(rounds)));
  }

  /// The median over some of them, drawn at random.
  [[nodiscard]] double seconds_of_interval() const {
    std::mt19937 random(1);
    std::vector<double> seconds;
    constexpr int samples = 11;
    for (int i = 0; i < samples; ++i) {
      const int rank = std::uniform_int_distribution<int>(0, ranks - 1)(random);
      const double date_ms =
          std::uniform_real_distribution<double>(0, 0.95)(random) * virtual_seconds_ * 1e3;
      const double start = wall_seconds();
      const Json replayed = output_of(fmt::format("{} replay --json --at {:.3f}ms --rank {} '{}'",
                                                  orrery(), date_ms, rank, log()));
      seconds.push_back(wall_seconds() - start);
      if (!replayed.at("stats").at("memory_matches").get<bool>()) {
        throw std::runtime_error(
            fmt::format("{}: an interval of rank {} left another memory", app_.name, rank));
      }
    }
    return median(seconds);
  }

  void print_row(const Json& stats, const Times& times) const {
    const Json& kept = stats.at("recording");
    const Json& checkpoints = stats.at("checkpoints");
    const auto percent = [](const Json& part, const Json& all) {
      return 100.0 * part.get<double>() / all.get<double>();
    };
    fmt::print(
        "{:12} {:8.0f} {:9} {:7.2f} {:7.2f} {:7.2f} {:8.1f} {:8.1f} {:8.1f} {:8.3f} {:7.2f} "
        "{:8.3f}\n",
        app_.name, virtual_seconds_, kept.at("messages").get<std::uint64_t>(),
        percent(kept.at("kept"), kept.at("messages")),
        percent(checkpoints.at("logged_messages"), checkpoints.at("messages_between_ranks")),
        percent(checkpoints.at("logged_bytes"), checkpoints.at("message_bytes")),
        checkpoints.at("piggybacked_bytes").get<double>() /
            checkpoints.at("messages_between_ranks").get<double>(),
        times.recorded_s, times.whole_s, times.interval_s, 100 * times.interval_s / times.whole_s,
        times.by_contents_s);
    std::fflush(stdout);
  }

  const App& app_;
  std::string directory_;
  double virtual_seconds_;
};

void run(const Options& options) {
  const TemporaryDirectory directory;
  fmt::print("{} ranks, {} checkpoints each, {}; seconds of this machine\n\n", ranks,
             checkpoints_a_rank, platform);
  fmt::print("{:12} {:>8} {:>9} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8}\n", "",
             "virtual", "", "traced", "logged", "logged", "bytes a", "recorded", "whole",
             "interval", "of it", "all");
  fmt::print("{:12} {:>8} {:>9} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8}\n",
             "mini-app", "s", "messages", "%", "%", "bytes %", "message", "s", "replay s", "s", "%",
             "logged s");
  const std::vector<double> lengths =
      options.is_quick ? std::vector<double>{10} : std::vector<double>{10, 100, 1000};
  for (const App& app : apps) {
    if (!options.only.empty() && options.only != app.name) continue;
    run_command(fmt::format("CC='{0} cc' CXX='{0} c++' '{1}/mpi/build.sh' {2} '{3}/{2}'",
                            ORRERY_BINARY, ORRERY_PROGRAMS, app.name, directory.path()));
    double share = 0;
    for (const double seconds : lengths)
      share = Measurement(app, directory.path(), seconds).print();
    fmt::print("{:12} of the longest: {:.1f} % <= {:.0f} % {}\n", app.name, 100 * share,
               100 * target, share <= target ? "met" : "missed");
  }
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      options.is_quick = true;
    } else if (word == "--only" && i + 1 < argc) {
      options.only = argv[++i];
    } else {
      throw std::runtime_error("usage: bench incremental [--quick] [--only APP]");
    }
  }
  return options;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    orrery::bench::run(orrery::bench::options_of(argc, argv));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
