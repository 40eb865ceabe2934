// What `./dev bench stride` prints, and the programs that it measures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../src/table_options.hpp"
#include "../src/thread_program.hpp"

namespace orrery::bench {

/// A program with the shape of one of SPLASH-2's, or with many locks.  `{}` in the arguments: how
/// many threads.
struct Kernel {
  const char* name;
  const char* arguments;
  const char* quick_arguments;

  [[nodiscard]] const char* sized(bool is_small) const {
    return is_small ? quick_arguments : arguments;
  }
};

/// What all tables need.
struct StrideBench {
  TableOptions options;
  std::filesystem::path pictures;  ///< where CSV and SVG files go

  /// Those that were asked for.
  [[nodiscard]] std::vector<Kernel> kernels() const;
  [[nodiscard]] bool wants(const std::string& table) const;
  [[nodiscard]] int rounds() const { return options.rounds.value_or(options.is_quick ? 2 : 15); }
  /// Are all programs measured, so that files of them all can be written?
  [[nodiscard]] bool is_of_all() const;
};

/// Table II of the paper: what recording costs and keeps, by `leap`, `stride` and `global-writes`.
void print_programs(const StrideBench& bench);
/// Table III: the same with lists of accesses that synchronisation orders.
void print_protected(const StrideBench& bench);
/// The figures over threads.
void print_over_threads(const StrideBench& bench);

/// What recording a program takes: of the program itself, which is what its user waits for, and
/// until its log is written.
struct RecordedSeconds {
  double program = 0;
  double whole = 0;
};
[[nodiscard]] RecordedSeconds recorded_seconds(const ThreadProgram& program,
                                               const std::string& method, int threads);
/// What `orrery record` tells of such a run on real cores.
[[nodiscard]] nlohmann::json counts_of(const ThreadProgram& program, const std::string& method,
                                       int threads);
/// The bytes of its log: the median of a few runs.
[[nodiscard]] double log_bytes_of(const ThreadProgram& program, const std::string& method,
                                  int threads, int runs);
/// For files.
[[nodiscard]] std::string number(double value);

}  // namespace orrery::bench
