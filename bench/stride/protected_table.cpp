#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "../plots/chart.hpp"
#include "../src/csv.hpp"
#include "../src/in_turns.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

/// Which places of a program its locks and the like protect, as some runs in simulation show.
struct Profile {
  std::string list;         ///< the file
  std::string no_w;         ///< the same, where nothing is `protected_w`
  double places = 0;        ///< in it
  double protected_rw = 0;  ///< of these
  double protected_w = 0;
};

Profile profile_of(const ThreadProgram& program, const std::string& arguments) {
  Profile profile{.list = program.file("list"), .no_w = program.file("list-rw")};
  const std::string sized = fmt::format(fmt::runtime(arguments), 2);
  for (int seed = 1; seed <= 3; ++seed) {
    static_cast<void>(
        output_of(fmt::format("'{}' run --quiet --step-limit 1000000000 --seed {} --window 20us "
                              "--profile-locks '{}' '{}' {}",
                              ORRERY_BINARY, seed, profile.list, program.path(), sized)));
  }
  std::ifstream lines(profile.list);
  std::ofstream less(profile.no_w);
  for (std::string line; std::getline(lines, line);) {
    const bool is_w = line.starts_with("protected_w ");
    const bool is_rw = line.starts_with("protected_rw ");
    profile.protected_rw += is_rw ? 1 : 0;
    profile.protected_w += is_w ? 1 : 0;
    profile.places += is_rw || is_w || line.starts_with("unprotected ") ? 1 : 0;
    if (!is_w) less << line << "\n";
  }
  return profile;
}

class ProtectedTable {
 public:
  explicit ProtectedTable(const StrideBench& bench) : bench_(bench) {}

  void run() {
    fmt::print(
        "\nTable III: `stride` where a profile (three runs in simulation of a small problem) says "
        "what need not be followed: places\nin the program, and how many of these are protectedRW "
        "and protectedW; accesses that are still followed; overheads\nas above: without a list, "
        "with protectedRW, and with both; bytes of the logs of the first and of the last;\n"
        "-DBUG: with a race, which alone makes places protectedW\n\n"
        "{:6} {:>7} {:>6} {:>6} {:>9} {:>20} {:>20} {:>20} {:>10} {:>10}\n",
        "", "places", "RW", "W", "followed", "stride", "protectedRW", "and protectedW", "stride B",
        "both B");
    for (const Kernel& kernel : bench_.kernels()) {
      measure(kernel, kernel.name, "");
      if (kernel.name == reads_without_lock) measure(kernel, " -DBUG", "-DBUG");
    }
    if (!bench_.is_of_all()) return;
    csv_.write(bench_.pictures / "stride-protected.csv");
    write_whole(bench_.pictures / "stride-protected.svg", svg(chart_));
  }

 private:
  /// What is protectedW is read without a lock, which only a program with a race does.  This one
  /// goes on well with it.
  static constexpr std::string_view reads_without_lock = "ocean";

  void measure(const Kernel& kernel, const char* label, const char* flags) {
    const ThreadProgram program(kernel.name, kernel.sized(bench_.options.is_quick), flags);
    const Profile profile = profile_of(program, kernel.quick_arguments);
    const std::array<std::string, 3> variants{"stride", "stride:protected=" + profile.no_w,
                                              "stride:protected=" + profile.list};
    std::vector<std::function<double()>> ways{[&] { return wall_seconds_of(program.command(2)); }};
    std::vector<RecordedRuns> recorded;
    for (const std::string& method : variants) recorded.emplace_back(program, method, 2);
    for (RecordedRuns& runs : recorded) ways.emplace_back([&runs] { return runs.record(); });
    const Turns turns(bench_.rounds(), ways);
    const double followed = recorded.back().count("accesses") / recorded.front().count("accesses");
    const double rw = profile.protected_rw / profile.places;
    const double w = profile.protected_w / profile.places;
    fmt::print("{:6} {:7.0f} {:5.1f}% {:5.1f}% {:8.2f}%", label, profile.places, 100 * rw, 100 * w,
               100 * followed);
    const std::string name = kernel.name + std::string(*flags != '\0' ? label : "");
    std::vector<std::string> fields{name, number(profile.places), number(rw), number(w),
                                    number(followed)};
    chart_.categories.push_back(name);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const Estimate ratio = turns.ratio(i + 1);
      fmt::print(" {:>20}", fmt::format("{:.2f} [{:.2f}, {:.2f}]", ratio.median - 1, ratio.low - 1,
                                        ratio.high - 1));
      fields.push_back(number(ratio.median - 1));
      chart_.series[i].values.push_back(ratio.median - 1);
    }
    for (const double bytes : {recorded.front().log_bytes(), recorded.back().log_bytes()}) {
      fmt::print(" {:10.0f}", bytes);
      fields.push_back(number(bytes));
    }
    fmt::print("\n");
    std::fflush(stdout);
    csv_.add(fields);
  }

  const StrideBench& bench_;
  Csv csv_{
      "kernel,places,protected_rw,protected_w,followed,stride_overhead,protected_rw_overhead,"
      "protected_overhead,stride_bytes,protected_bytes"};
  BarChart chart_{.title = "Recorded on two cores by stride: overhead",
                  .y = {.title = "more than the program's own time"},
                  .categories = {},
                  .series = {{"no list", {}}, {"protectedRW", {}}, {"and protectedW", {}}}};
};

}  // namespace

void print_protected(const StrideBench& bench) {
  ProtectedTable(bench).run();
}

}  // namespace orrery::bench
