// What `orrery record` costs, beside bare Open MPI: ./dev bench record [--rounds N] [--quick].
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "../src/temporary_directory.hpp"
#include "paired.hpp"

namespace orrery::bench {
namespace {

/// A mini-app, long enough that its start counts for little.
struct App {
  const char* name;
  const char* arguments;
  const char* quick_arguments;
};
// Not hash_table, which dies under Debian's Open MPI 4.1.4 by itself, in its one-sided operations.
constexpr std::array<App, 5> apps{{{"halo", "20 200 0", "8 20 0"},
                                   {"cg", "60000 12 1000", "256 6 10"},
                                   {"cells", "2000 30 0", "200 4 0"},
                                   {"sample_sort", "40000 8", "4000 4"},
                                   {"farm", "11 4", "8 3"}}};

constexpr const char* mpirun =
    "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe";

struct Options {
  int pairs = 30;
  bool is_quick = false;
};

/// Runs a command of the shell; what it prints, or an exception.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no process can be made");
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  if (pclose(pipe) != 0) throw std::runtime_error(command + "\n" + text);
  return text;
}

/// Of the whole job, its launcher included.
double seconds_of(const std::string& command) {
  const auto start = std::chrono::steady_clock::now();
  output_of(command);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double number_of(const std::string& command) {
  return std::atof(output_of(command).c_str());
}

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {}

  void run() const {
    fmt::print("orrery record beside bare Open MPI, {} pairs in turn; medians, 95 % intervals\n\n",
               options_.pairs);
    print_bytes();
    print_receive();
    fmt::print("\n{:34} {:>10}  {:>24}  {:>10}\n", "mini-app, 2 ranks", "bare s", "recorded / bare",
               "target");
    for (const App& app : apps) print_app(app);
  }

 private:
  [[nodiscard]] std::string recording(const std::string& command, const char* name) const {
    return fmt::format("'{}' record --quiet -o '{}/{}.orr' {}", ORRERY_BINARY, directory_.path(),
                       name, command);
  }
  [[nodiscard]] std::uintmax_t log_bytes(const char* name) const {
    return std::filesystem::file_size(fmt::format("{}/{}.orr", directory_.path(), name));
  }

  void print_app(const App& app) const {
    const std::string program = directory_.path() + "/" + app.name;
    output_of(fmt::format("'{}/mpi/build.sh' {} '{}'", ORRERY_PROGRAMS, app.name, program));
    const std::string command =
        fmt::format("{} -n 2 '{}' {}", mpirun, program,
                    options_.is_quick ? app.quick_arguments : app.arguments);
    const PairedRatios pairs = in_pairs(
        options_.pairs, [&] { return seconds_of(command); },
        [&] { return seconds_of(recording(command, app.name)); });
    const Estimate ratio = estimate(pairs.ratios);
    fmt::print("{:34} {:10.3f}  {:8.3f} [{:.3f}, {:.3f}]  <= 1.03 {}\n", app.name,
               estimate(pairs.bare).median, ratio.median, ratio.low, ratio.high,
               ratio.median <= 1.03 ? "met" : "missed");
    std::fflush(stdout);
  }

  [[nodiscard]] std::string build_receives() const {
    const std::string program = directory_.path() + "/receives";
    output_of(fmt::format("mpicc -O2 '{}/receives.c' -o '{}'", ORRERY_OWN_PROGRAMS, program));
    return program;
  }

  void print_receive() const {
    const std::string command = fmt::format("{} -n 1 '{}' self {}", mpirun, build_receives(),
                                            options_.is_quick ? 20000 : 1000000);
    const PairedRatios pairs = in_pairs(
        options_.pairs, [&] { return number_of(command); },
        [&] { return number_of(recording(command, "self")); });
    const Estimate cost = estimate(pairs.differences);
    fmt::print("{:34} {:10.1f}  {:8.1f} [{:.1f}, {:.1f}]  <= 200 {}\n",
               "a wildcard receive: bare, more, ns", estimate(pairs.bare).median, cost.median,
               cost.low, cost.high, cost.median <= 200 ? "met" : "missed");
    std::fflush(stdout);
  }

  void print_bytes() const {
    const int rounds = options_.is_quick ? 1000 : 50000;
    const std::string program = build_receives();
    for (const int ranks : {2, 3, 4, 8}) {
      output_of(recording(fmt::format("{} -n {} '{}' others {}", mpirun, ranks, program, rounds),
                          "others"));
      output_of(recording(fmt::format("{} -n {} '{}' others 0", mpirun, ranks, program), "none"));
      const double bytes = static_cast<double>(log_bytes("others") - log_bytes("none"));
      const double each = bytes / static_cast<double>(rounds) / (ranks - 1);
      fmt::print("{:34} {:>10}  {:8.3f} {:16}  <= 0.5 {}\n",
                 fmt::format("bytes a racing receive, {} ranks", ranks), "", each, "",
                 each <= 0.5 ? "met" : "missed");
    }
    fmt::print("{:34} {:>10}  {:8}\n", "a log without open choices, bytes", "", log_bytes("none"));
  }

  Options options_;
  TemporaryDirectory directory_;
};

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      options.is_quick = true;
      options.pairs = 3;
    } else if (word == "--rounds" && i + 1 < argc) {
      options.pairs = std::atoi(argv[++i]);
    } else {
      throw std::runtime_error("usage: bench record [--rounds N] [--quick]");
    }
  }
  if (options.pairs < 1) throw std::runtime_error("--rounds: at least 1");
  return options;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    if (std::system("mpirun --version >/dev/null 2>&1 && command -v mpicc >/dev/null") != 0) {
      fmt::print(stderr, "Open MPI is not here: apt-get install openmpi-bin libopenmpi-dev\n");
      return 2;
    }
    orrery::bench::Bench(orrery::bench::options_of(argc, argv)).run();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
