// Commands that are measured, and the lines that their figures make.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../src/temporary_directory.hpp"
#include "mpi_bench.hpp"

namespace orrery::bench {

/// What a shell command and all that it waited for took.
struct Measured {
  double wall_seconds = 0;
  double cpu_seconds = 0;
  double megabytes = 0;  ///< of the largest process
};
/// Throws `UsageError`, with the command's output, if it fails.
[[nodiscard]] Measured measured(const std::string& command);

/// The most anonymous memory that the largest process of a command has at a time, as far as a look
/// each few milliseconds shows.  The images of the simulated programs are not anonymous.
[[nodiscard]] double most_anonymous_megabytes(const std::string& command);

/// Both sides of a row, measured one right after the other.
struct Pair {
  double ours = 0;
  double peer = 0;  ///< 0: there is none, and the target is for the figure itself
};

/// What a row's figure, or its ratio to the peer's, is held to.
struct Target {
  double bound = 0;
  bool is_at_least = true;
  /// Whether a ratio is how many times faster we are although the figures are times.
  bool is_inverted = false;
};

/// Prints one row a measurement, and keeps its ratio.
class Table {
 public:
  explicit Table(const MpiBenchOptions& options) : options_(options) {}

  static void print_header(const char* title, const char* peer = "SMPI");

  /// Measures `options.rounds` times; prints medians, of the ratios too.  Returns the median of the
  /// ratios, 0 if there is none.
  double row(const std::string& title, const char* unit, const Target& target,
             const std::function<Pair()>& measure) const;

  [[nodiscard]] const MpiBenchOptions& options() const { return options_; }
  [[nodiscard]] bool is_wanted(const std::string& title) const;

 private:
  const MpiBenchOptions& options_;
};

/// A cluster of so many hosts, for both simulators.
class Cluster {
 public:
  explicit Cluster(const TemporaryDirectory& directory) : directory_(directory) {}
  /// The command that runs `program` on so many hosts, up to its arguments.
  /// `checks`: which wrong use is looked for.
  [[nodiscard]] std::string ours(int ranks, const std::string& program,
                                 const char* checks = "all") const;
  [[nodiscard]] std::string smpi(int ranks, const std::string& program) const;

 private:
  [[nodiscard]] std::string platform(int ranks) const;

  const TemporaryDirectory& directory_;
};

[[nodiscard]] bool has_smpi();

/// The tables' parts.
void print_mini_apps(const Table& table, const TemporaryDirectory& directory);
void print_rates(const Table& table, const TemporaryDirectory& directory);
void print_sizes(const Table& table, const TemporaryDirectory& directory);
void print_searches(const Table& table, const TemporaryDirectory& directory);
void print_checks(const Table& table, const TemporaryDirectory& directory);

/// Builds a mini-app, as `NAME-ours` or `NAME-smpi`; returns its path.
std::string build_app(const TemporaryDirectory& directory, const std::string& name,
                      const std::string& side, const std::string& flags = {});

}  // namespace orrery::bench
