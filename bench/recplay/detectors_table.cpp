#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../plots/chart.hpp"
#include "../src/command_usage.hpp"
#include "../src/csv.hpp"
#include "../src/in_turns.hpp"
#include "../src/temporary_directory.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

/// A detector of ours, or another tool, which runs a build of its own.
struct Tool {
  const char* name;
  const char* before;   ///< what stands before the program's path; empty: a detector of ours
  const char* build;    ///< the program
  const char* report;   ///< what stands once in each report of a race
  const char* command;  ///< that there has to be
  bool is_slow =
      false;  ///< measured once: it confirms by further runs what it reports, or emulates

  [[nodiscard]] bool is_ours() const { return *before == '\0'; }
  /// What has it print reports that can be counted.
  [[nodiscard]] const char* flags() const { return is_ours() ? "--json" : ""; }
};
constexpr std::array<Tool, 8> tools{
    {{"fasttrack", "", "app", "", "true"},
     {"recplay", "", "app", "", "true"},
     {"hybrid", "", "app", "", "true", true},
     {"eraser", "", "app", "", "true", true},
     {"sync-preserving", "", "app", "", "true", true},
     {"TSan", "setarch -R ", "tsan", "WARNING: ThreadSanitizer: data race", "setarch"},
     {"Helgrind", "valgrind -q --tool=helgrind ", "plain", "Possible data race", "valgrind", true},
     {"DRD", "valgrind -q --tool=drd ", "plain", "Conflicting ", "valgrind", true}}};

/// Sizes at which the slowest of them ends within seconds.
constexpr std::array<std::array<const char*, 2>, 9> sizes{{{"lu", "256 4 16"},
                                                           {"fft", "9 4"},
                                                           {"radix", "300000 4 8"},
                                                           {"ocean", "200 4 50"},
                                                           {"steal", "12 4 3"},
                                                           {"nbody", "1000 4 10 8"},
                                                           {"bank", "20000 4 64"},
                                                           {"pool", "20000 4 64"},
                                                           {"cache", "300 4 4"}}};

const char* size_of(const Kernel& kernel) {
  for (const auto& [name, size] : sizes) {
    if (std::string(name) == kernel.name) return size;
  }
  return "";
}

/// Builds of one program, with clang.
class Builds {
 public:
  explicit Builds(const Kernel& kernel, const std::string& flags = "") {
    const auto one = [&](const char* output, const char* wrapped, const std::string& more) {
      run_command(fmt::format("{} '{}/threads/build.sh' {} '{}/{}' {} {}", wrapped, ORRERY_PROGRAMS,
                              kernel.name, directory_.path(), output, more, flags));
    };
    one("app",
        "ORRERY_CC=clang ORRERY_CXX=clang++ CC='" ORRERY_BINARY " cc' CXX='" ORRERY_BINARY " c++'",
        "");
    one("tsan", "CC=clang CXX=clang++", "-fsanitize=thread");
    // Valgrind 3.19 cannot read what clang writes for gdb by default.
    one("plain", "CC=clang CXX=clang++", "-gdwarf-4");
  }
  [[nodiscard]] std::string native() const { return on_one_core("plain", ""); }
  [[nodiscard]] std::string under(const Tool& tool, const std::string& flags = "") const {
    if (!tool.is_ours()) return on_one_core(tool.build, tool.before);
    // A run that a limit ended would be compared with whole ones.
    return on_one_core("app",
                       fmt::format("'{}' run --quiet --step-limit 1000000000 --detect {} {} ",
                                   ORRERY_BINARY, tool.name, flags));
  }
  [[nodiscard]] std::string explored(const Tool& tool) const {
    return on_one_core("app", fmt::format("'{}' explore --no-shrink --runs 100 --json --detect {} ",
                                          ORRERY_BINARY, tool.name));
  }

 private:
  [[nodiscard]] std::string on_one_core(const char* build, const std::string& before) const {
    return fmt::format("cd '{}' && taskset -c 0 {}./{}", directory_.path(), before, build);
  }
  TemporaryDirectory directory_;
};

std::string all_output_of(const std::string& command) {
  return output_of("{ " + command + "\n} 2>&1 </dev/null || true");
}

/// Each report in what a tool has printed.
std::vector<std::string> reports_in(const Tool& tool, const std::string& output) {
  std::vector<std::string> reports;
  if (tool.is_ours()) {
    const auto told = nlohmann::json::parse(output);
    for (const auto& finding : told.at("findings")) reports.push_back(finding.dump());
    return reports;
  }
  for (std::size_t at = output.find(tool.report); at != std::string::npos;) {
    const std::size_t next = output.find(tool.report, at + 1);
    reports.push_back(output.substr(at, next - at));
    at = next;
  }
  return reports;
}

/// How one tool does over all programs.
struct Score {
  double log_slowdown = 0;
  double memory_bytes = 0;
  int planted = 0;
  int found_at_once = 0;
  int found = 0;
  int false_reports = 0;
};

class Scores {
 public:
  explicit Scores(const RecplayBench& bench) : bench_(bench) {
    for (const Tool& tool : tools) {
      const std::string probe = fmt::format("command -v {}", tool.command);
      if (usage_of(probe).status == 0) used_.push_back(&tool);
    }
    scores_.resize(used_.size());
  }

  void run() {
    fmt::print(
        "\nDetectors live on one core, programs of four threads built by clang: times of the plain "
        "program's processor time (MB);\nmedians of {} rounds in turn, and one run of what is "
        "slow; with a planted race (-DBUG) one run, and reports that name it + others\n\n"
        "{:6}",
        rounds(), "");
    for (const Tool* const tool : used_) fmt::print(" {:>17}", tool->name);
    fmt::print("{}\n", is_compared() ? " ours/TSan" : "");
    for (const Kernel& kernel : bench_.kernels()) {
      measure(kernel, Builds(kernel));
      if (kernel.planted != nullptr) hunt(kernel, Builds(kernel, "-DBUG"));
    }
    print_scores();
    if (bench_.kernels().size() == 1) return;
    csv_.write(bench_.pictures / "recplay-detectors.csv");
    write_whole(bench_.pictures / "recplay-detectors.svg", svg(chart_));
  }

 private:
  void measure(const Kernel& kernel, const Builds& builds) {
    const std::string size = size_in(kernel);
    fmt::print("{:6}", kernel.name);
    chart_.categories.emplace_back(kernel.name);
    std::vector<double> memory_bytes(used_.size());
    const auto seconds_of = [&](std::size_t tool) {
      const CommandUsage usage = usage_of(builds.under(*used_[tool]) + size);
      memory_bytes[tool] = std::max(memory_bytes[tool], usage.memory_bytes);
      return usage.cpu_s;
    };
    std::vector<std::function<double()>> ways{
        [&] { return usage_of(builds.native() + size).cpu_s; }};
    std::vector<std::size_t> way_of(used_.size());
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]->is_slow) continue;
      way_of[i] = ways.size();
      ways.emplace_back([&, i] { return seconds_of(i); });
    }
    const Turns turns(rounds(), ways);
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const bool is_slow = way_of[i] == 0;
      const double slowdown =
          is_slow ? seconds_of(i) / turns.first().median : turns.ratio(way_of[i]).median;
      take(kernel, i, slowdown, memory_bytes[i], builds);
    }
    if (is_compared()) {
      const double ratio = turns.ratio(way_of[place_of(ours)], way_of[place_of(compared)]).median;
      log_ratio_ += std::log(ratio);
      fmt::print(" {:9.2f}", ratio);
    }
    fmt::print("\n");
  }

  void take(const Kernel& kernel, std::size_t i, double slowdown, double memory_bytes,
            const Builds& builds) {
    const Tool& tool = *used_[i];
    const auto reports =
        static_cast<int>(reports_in(tool, all_output_of(builds.under(tool, tool.flags()))).size());
    Score& score = scores_[i];
    score.log_slowdown += std::log(slowdown);
    score.memory_bytes = std::max(score.memory_bytes, memory_bytes);
    score.false_reports += reports;
    fmt::print(" {:>17}", fmt::format("{:.1f} ({:.0f})", slowdown, memory_bytes / 1e6));
    std::fflush(stdout);
    csv_.add({kernel.name, tool.name, fmt::format("{:.4g}", slowdown),
              fmt::format("{:.0f}", memory_bytes), "", fmt::to_string(reports)});
    if (!tool.is_slow) bars_of(tool.name).values.push_back(slowdown);
  }

  BarSeries& bars_of(const char* tool) {
    const auto found = std::ranges::find(chart_.series, tool, &BarSeries::name);
    if (found != chart_.series.end()) return *found;
    return chart_.series.emplace_back(BarSeries{tool, {}});
  }

  /// The build with its race: reports that name it, and others.
  void hunt(const Kernel& kernel, const Builds& builds) {
    const std::string size = size_in(kernel);
    const double native_s = usage_of(builds.native() + size).cpu_s;
    fmt::print("{:6}", " -DBUG");
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const Tool& tool = *used_[i];
      const auto hits_in = [&](const std::vector<std::string>& reports) {
        return std::ranges::count_if(reports, [&](const std::string& one) {
          return one.find(kernel.planted) != std::string::npos;
        });
      };
      const auto reports = reports_in(tool, all_output_of(builds.under(tool, tool.flags())));
      const auto hits = hits_in(reports);
      const bool later = hits == 0 && tool.is_ours() &&
                         hits_in(reports_in(tool, all_output_of(builds.explored(tool)))) > 0;
      ++scores_[i].planted;
      if (hits > 0) ++scores_[i].found_at_once;
      if (hits > 0 || later) ++scores_[i].found;

      const CommandUsage usage = usage_of(builds.under(tool) + size);
      const auto others = static_cast<std::ptrdiff_t>(reports.size()) - hits;
      fmt::print(" {:>17}", fmt::format("{:.1f} ({:.0f}) {}+{}", usage.cpu_s / native_s,
                                        usage.memory_bytes / 1e6, hits, others));
      std::fflush(stdout);
      csv_.add({fmt::format("{} -DBUG", kernel.name), tool.name,
                fmt::format("{:.4g}", usage.cpu_s / native_s),
                fmt::format("{:.0f}", usage.memory_bytes), fmt::to_string(hits),
                fmt::to_string(others)});
    }
    fmt::print("\n");
  }

  void print_scores() const {
    const auto programs = static_cast<double>(bench_.kernels().size());
    fmt::print("\n{:16} {:>15} {:>10} {:>20} {:>16} {:>24}\n", "", "geometric mean", "at most MB",
               "planted, in one run", "or by exploring", "reports without the bug");
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const Score& score = scores_[i];
      fmt::print("{:16} {:15.2f} {:10.0f} {:>20} {:>16} {:24}\n", used_[i]->name,
                 std::exp(score.log_slowdown / programs), score.memory_bytes / 1e6,
                 fmt::format("{} of {}", score.found_at_once, score.planted),
                 fmt::format("{} of {}", score.found, score.planted), score.false_reports);
    }
    if (!is_compared()) return;
    fmt::print("\n{} / {}, geometric mean: {:.2f}   target: <= 1\n", ours, compared,
               std::exp(log_ratio_ / programs));
  }

  [[nodiscard]] std::string size_in(const Kernel& kernel) const {
    return bench_.options.is_quick ? "" : fmt::format(" {}", size_of(kernel));
  }
  [[nodiscard]] int rounds() const {
    return bench_.options.rounds.value_or(bench_.options.is_quick ? 1 : 9);
  }
  /// `used_.size()`: it is not there.
  [[nodiscard]] std::size_t place_of(std::string_view name) const {
    const auto found = std::ranges::find(used_, name, [](const Tool* tool) { return tool->name; });
    return static_cast<std::size_t>(found - used_.begin());
  }
  [[nodiscard]] bool is_compared() const { return place_of(compared) < used_.size(); }

  // Whose costs are a target.
  static constexpr std::string_view ours = "fasttrack";
  static constexpr std::string_view compared = "TSan";

  const RecplayBench& bench_;
  std::vector<const Tool*> used_;
  std::vector<Score> scores_;
  double log_ratio_ = 0;
  Csv csv_{"kernel,tool,slowdown,memory_bytes,reports_of_planted,other_reports"};
  BarChart chart_{.title = "Detectors live, on one core: times the plain program's",
                  .y = {.title = "times"},
                  .categories = {},
                  .series = {}};  // those that are slow would dwarf the others
};

}  // namespace

void print_detectors(const RecplayBench& bench) {
  Scores(bench).run();
}

}  // namespace orrery::bench
