// Table 1 of Ronsse, Christiaens and De Bosschere (RecPlay), repeated: what it costs a program of
// threads to be recorded by `lamport-order` on real cores, and to be replayed, with and without the
// detection of data races: ./dev bench recplay [--rounds N] [--quick] [--only KERNEL].
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../src/in_turns.hpp"
#include "../src/measuring.hpp"
#include "../src/table_options.hpp"
#include "../src/temporary_directory.hpp"

namespace orrery::bench {
namespace {

/// A program with the shape of one of SPLASH-2's, or with many locks; two threads.
struct Kernel {
  const char* name;
  const char* shape;
  const char* arguments;
  const char* quick_arguments;
};
constexpr std::array<Kernel, 6> kernels{
    {{"lu", "LU", "1024 2 16", "128 2 16"},
     {"fft", "FFT", "11 2", "7 2"},
     {"radix", "radix", "8000000 2 8", "100000 2 8"},
     {"bank", "many locks", "1000000 2 64", "2000 2 64"},
     {"pool", "a free list, atomics", "200000 2 64", "1000 2 64"},
     {"steal", "cholesky: a graph of tasks", "14 2 3", "8 2 2"}}};

// What the paper has, on its four processors.
constexpr double paper_record = 1.021;
constexpr double paper_replay = 1.91;
constexpr double paper_detect = 40;

/// One program in its ways; commands of the shell.
class Ways {
 public:
  Ways(const Kernel& kernel, bool is_quick)
      : program_(directory_.path() + "/app"),
        command_(fmt::format("'{}' {}", program_,
                             is_quick ? kernel.quick_arguments : kernel.arguments)) {
    run_command(fmt::format("CC='{0} cc' CXX='{0} c++' '{1}/threads/build.sh' {2} '{3}'",
                            ORRERY_BINARY, ORRERY_PROGRAMS, kernel.name, program_));
  }

  [[nodiscard]] std::string normal() const { return command_; }
  [[nodiscard]] std::string on_one_core() const { return "taskset -c 0 " + command_; }
  [[nodiscard]] std::string recorded() const {
    return fmt::format("'{}' record --quiet -o '{}' {}", ORRERY_BINARY, log(), command_);
  }
  [[nodiscard]] std::string replayed(const std::string& flags) const {
    return fmt::format("taskset -c 0 '{}' replay --quiet --wall-limit 600s {} '{}'", ORRERY_BINARY,
                       flags, log());
  }
  [[nodiscard]] std::uintmax_t log_bytes() const { return std::filesystem::file_size(log()); }
  /// Operations that have stamps, of one more run.
  [[nodiscard]] double operations() const {
    const std::string printed =
        output_of(fmt::format("'{}' record --json -o '{}' {}", ORRERY_BINARY, log(), command_));
    return nlohmann::json::parse(printed).at("stats").at("stamped").get<double>();
  }

 private:
  [[nodiscard]] std::string log() const { return directory_.path() + "/run.orr"; }

  TemporaryDirectory directory_;
  std::string program_;
  std::string command_;
};

double seconds_of(const std::string& command) {
  const double start = wall_seconds();
  static_cast<void>(output_of(command));
  return wall_seconds() - start;
}

std::string text(const Estimate& estimate) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", estimate.median, estimate.low, estimate.high);
}

/// Ratios of all kernels; what they are on average, as the paper has it.
struct Column {
  std::vector<double> ratios;
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double ratio : ratios) sum += ratio;
    return sum / static_cast<double>(ratios.size());
  }
};

class Table {
 public:
  explicit Table(const TableOptions& options)
      : options_(options), rounds_(options.rounds.value_or(options.is_quick ? 3 : 30)) {}

  void run() {
    fmt::print(
        "Programs of two threads under orrery record (lamport-order) on real cores, and replayed "
        "on "
        "one;\n{} rounds in turn, a tenth of them with detection; medians, 95 % intervals of "
        "paired "
        "ratios\n\n{:7} {:27} {:>8} {:>22} {:>12} {:>10} {:>8} {:>9} {:>9} {:>9}\n",
        rounds_, "", "", "normal s", "record / normal", "operations", "a s, each", "ns more",
        "log bytes", "replay", "+ detect");
    for (const Kernel& kernel : kernels) {
      if (options_.only.empty() || options_.only == kernel.name) measure(kernel);
    }
    if (options_.only.empty()) print_means();
  }

 private:
  void measure(const Kernel& kernel) {
    const Ways ways(kernel, options_.is_quick);
    const Turns recording(rounds_, {[&] { return seconds_of(ways.normal()); },
                                    [&] { return seconds_of(ways.recorded()); }});
    const double operations = ways.operations();
    const double normal = recording.first().median;
    const Turns replaying(std::max(rounds_ / 10, 1),
                          {[&] { return seconds_of(ways.on_one_core()); },
                           [&] { return seconds_of(ways.replayed("")); },
                           [&] { return seconds_of(ways.replayed("--detect recplay")); }});
    const double more_ns = recording.difference(1).median * 1e9 / operations;
    fmt::print("{:7} {:27} {:8.3f} {:>22} {:12.0f} {:10.0f} {:8.1f} {:9} {:9.2f} {:9.2f}\n",
               kernel.name, kernel.shape, normal, text(recording.ratio(1)), operations,
               operations / normal / 2, more_ns, ways.log_bytes(), replaying.ratio(1).median,
               replaying.ratio(2).median);
    std::fflush(stdout);
    record_.ratios.push_back(recording.ratio(1).median);
    replay_.ratios.push_back(replaying.ratio(1).median);
    detect_.ratios.push_back(replaying.ratio(2).median);
  }

  void print_means() const {
    const auto line = [](const char* what, const Column& column, double most, double paper) {
      fmt::print("{:22} {:7.3f}   target <= {:5.3f} {}; the paper's {}\n", what, column.mean(),
                 most, column.mean() <= most ? "met" : "missed", paper);
    };
    fmt::print("\nOn average\n");
    line("record / normal", record_, 1.021, paper_record);
    line("replay / one core", replay_, 1.3, paper_replay);
    line("with detection", detect_, 8, paper_detect);
  }

  TableOptions options_;
  int rounds_;
  Column record_;
  Column replay_;
  Column detect_;
};

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    const orrery::bench::TableOptions options = orrery::bench::table_options(
        argc, argv, "usage: bench recplay [--rounds N] [--quick] [--only KERNEL]");
    orrery::bench::Table(options).run();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
