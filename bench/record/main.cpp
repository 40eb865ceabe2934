// What `orrery record` costs, beside bare Open MPI and a recorder of the method `orders`:
// ./dev bench record [--rounds N] [--quick] [--only APP].
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "../src/in_turns.hpp"
#include "../src/measuring.hpp"
#include "../src/table_options.hpp"
#include "jobs.hpp"

namespace orrery::bench {
namespace {

/// A mini-app, with arguments for about two seconds: its start counts for little.
struct App {
  const char* name;
  const char* arguments;
  const char* quick_arguments;
};
// Not hash_table, which dies under Debian's Open MPI 4.1.4 by itself, in its one-sided operations.
constexpr std::array<App, 5> apps{{{"halo", "20 9000 0", "8 20 0"},
                                   {"cg", "60000 12 1000 45", "256 6 100"},
                                   {"cells", "2000 780 0", "200 4 0"},
                                   {"sample_sort", "40000 94", "4000 4"},
                                   {"farm", "11 4 24", "8 3"}}};

/// What ReMPI keeps of a receive before it compresses (Sato and others, 2015).
constexpr int rempi_bytes_a_receive = 64;
constexpr int order_bytes = 8;

double wall_seconds_of(const std::string& command) {
  const double start = wall_seconds();
  static_cast<void>(output_of(command));
  return wall_seconds() - start;
}

/// What `receives` has printed: nanoseconds of a receive, and of a recorder's end.
double receive_ns(const std::string& command) {
  return std::atof(output_of(command).c_str());
}

double end_ns(const std::string& command) {
  const std::string printed = output_of(command);
  return std::atof(printed.c_str() + std::min(printed.find(' '), printed.size()));
}

std::string verdict(double value, double most) {
  return fmt::format("<= {} {}", most, value <= most ? "met" : "missed");
}

class Bench {
 public:
  explicit Bench(const TableOptions& options)
      : options_(options), rounds_(options.rounds.value_or(options.is_quick ? 3 : 30)) {}

  void run() const {
    fmt::print(
        "orrery record, beside bare Open MPI and a recorder of orders (sender and tag of every "
        "receive);\n{} rounds in turn; medians, 95 % intervals\n",
        rounds_);
    const bool wants_costs_alone = options_.only == "costs";
    if (options_.only.empty() || wants_costs_alone) print_costs();
    if (options_.only.empty()) print_bytes();
    if (!wants_costs_alone) print_apps();
  }

 private:
  using Measure = double (*)(const std::string& command);

  [[nodiscard]] Turns in_turns(int ranks, const std::string& program, Measure measure) const {
    return {rounds_,
            {[&] { return measure(jobs_.bare(ranks, program)); },
             [&] { return measure(jobs_.recorded(ranks, program)); },
             [&] { return measure(jobs_.ordered(ranks, program)); }}};
  }

  void print_costs() const {
    fmt::print("\n{:34} {:>9} {:>24} {:24} {:>24}\n", "", "bare", "ours: more", "  target",
               "orders: more");
    const auto start_ms = [](const std::string& command) { return 1e3 * wall_seconds_of(command); };
    const Turns starts = in_turns(2, jobs_.receives() + " others 0", start_ms);
    fmt::print("{:34} {:9.1f} {:>24} {:24} {:>24}\n", "a job that does nothing, 2 ranks, ms",
               starts.first().median, text(starts.difference(ours), 1), "  -",
               text(starts.difference(orders), 1));
    std::fflush(stdout);
    const std::string self =
        fmt::format("{} self {}", jobs_.receives(), options_.is_quick ? 20000 : 1000000);
    const Turns receives = in_turns(1, self, receive_ns);
    const Estimate more = receives.difference(ours);
    fmt::print("{:34} {:9.1f} {:>24} {:24} {:>24}\n", "a wildcard receive, ns",
               receives.first().median, text(more, 1), "  " + verdict(more.median, 200),
               text(receives.difference(orders), 1));
    std::fflush(stdout);
    print_end("MPI_Finalize after no receive, ns", jobs_.receives() + " self 0");
    print_end("MPI_Finalize after those, ns", self);
  }

  void print_end(const char* what, const std::string& program) const {
    const Turns ends = in_turns(1, program, end_ns);
    fmt::print("{:34} {:9.0f} {:>24} {:24} {:>24}\n", what, ends.first().median,
               text(ends.difference(ours), 0), "  -", text(ends.difference(orders), 0));
    std::fflush(stdout);
  }

  /// So many bytes more for `rounds` than for none.
  struct Bytes {
    double ours = 0;
    double orders = 0;
    std::uintmax_t empty_log = 0;
  };
  [[nodiscard]] Bytes bytes_of(int ranks, int rounds) const {
    const std::string program = fmt::format("{} others {}", jobs_.receives(), rounds);
    static_cast<void>(output_of(jobs_.recorded(ranks, program)));
    const auto all = static_cast<double>(jobs_.recorded_bytes());
    static_cast<void>(output_of(jobs_.ordered(ranks, program)));
    const auto ordered = static_cast<double>(jobs_.ordered_bytes());
    static_cast<void>(output_of(jobs_.recorded(ranks, jobs_.receives() + " others 0")));
    const std::uintmax_t empty = jobs_.recorded_bytes();
    return {all - static_cast<double>(empty), ordered, empty};
  }

  void print_bytes() const {
    const int rounds = options_.is_quick ? 1000 : 50000;
    fmt::print("\n{:34} {:>9} {:16} {:>9} {:>9}\n", "bytes on disk", "ours", "  target", "orders",
               "ReMPI's");
    std::uintmax_t empty_of_two = 0;
    for (const int ranks : {2, 3, 4, 8}) {
      const Bytes bytes = bytes_of(ranks, rounds);
      const double receives = static_cast<double>(rounds) * (ranks - 1);
      fmt::print("{:34} {:9.3f} {:16} {:9.3f} {:9}\n",
                 fmt::format("of a racing receive, {} ranks", ranks), bytes.ours / receives,
                 "  " + verdict(bytes.ours / receives, 0.5), bytes.orders / receives,
                 rempi_bytes_a_receive);
      if (ranks == 2) empty_of_two = bytes.empty_log;
      std::fflush(stdout);
    }
    fmt::print("{:34} {:9} {:16} {:9} {:>9}\n", "of a job that reads its clock only", empty_of_two,
               "", 0, "");
  }

  void print_apps() const {
    fmt::print("\n{:12} {:>7} {:>22} {:16} {:>22} {:>10} {:>11} {:>12}\n", "2 ranks", "bare s",
               "ours / bare", "  target", "orders / bare", "receives", "ours bytes",
               "orders bytes");
    for (const App& app : apps) {
      if (!options_.only.empty() && options_.only != app.name) continue;
      const std::string program =
          fmt::format("'{}' {}", jobs_.mini_app(app.name),
                      options_.is_quick ? app.quick_arguments : app.arguments);
      const Turns turns = in_turns(2, program, wall_seconds_of);
      const Estimate ratio = turns.ratio(ours);
      // Of a quick run it is the start that is measured.
      const std::string target = options_.is_quick ? "  -" : "  " + verdict(ratio.median, 1.03);
      fmt::print("{:12} {:7.3f} {:>22} {:16} {:>22} {:10} {:11} {:12}\n", app.name,
                 turns.first().median, text(ratio, 3), target, text(turns.ratio(orders), 3),
                 jobs_.ordered_bytes() / order_bytes, jobs_.recorded_bytes(),
                 jobs_.ordered_bytes());
      std::fflush(stdout);
    }
  }

  // Among the ways that are timed in turn.
  static constexpr std::size_t ours = 1;
  static constexpr std::size_t orders = 2;

  TableOptions options_;
  int rounds_;
  Jobs jobs_;
};

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) {
  try {
    const orrery::bench::TableOptions options = orrery::bench::table_options(
        argc, argv, "usage: bench record [--rounds N] [--quick] [--only APP|costs]");
    if (std::system("mpirun --version >/dev/null 2>&1 && command -v mpicc >/dev/null") != 0) {
      fmt::print(stderr, "Open MPI is not here: apt-get install openmpi-bin libopenmpi-dev\n");
      return 2;
    }
    orrery::bench::Bench(options).run();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
