// What `./dev bench stride` prints, and the programs that it measures.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "../src/in_turns.hpp"
#include "../src/table_options.hpp"
#include "../src/thread_program.hpp"

namespace orrery::bench {

/// A program with the shape of one of SPLASH-2's, or with many locks.  `{}` in the arguments: how
/// many threads.
struct Kernel {
  const char* name;
  /// Some tens of milliseconds by itself: those of a run that is over in a few are first accesses
  /// to each word, and the start of threads.
  const char* arguments;
  /// Where many threads, or words in large groups, would take minutes.
  const char* smaller_arguments;
  const char* quick_arguments;

  [[nodiscard]] const char* sized(bool is_quick) const {
    return is_quick ? quick_arguments : arguments;
  }
  [[nodiscard]] const char* sized_smaller(bool is_quick) const {
    return is_quick ? quick_arguments : smaller_arguments;
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
/// What it changes that variables are in groups.
void print_groups(const StrideBench& bench);
/// The figures over threads.
void print_over_threads(const StrideBench& bench);

/// What runs of a program on real cores took that were recorded by one method, run by run.
class RecordedRuns {
 public:
  RecordedRuns(const ThreadProgram& program, std::string method, int threads)
      : program_(program), method_(std::move(method)), threads_(threads) {}

  /// Records it once more; the seconds of the program itself, which are what its user waits for.
  double record();

  // Of those so far, at least one; medians

  /// From the program's end until the log is written.
  [[nodiscard]] double writing_seconds() const { return estimate(writing_).median; }
  [[nodiscard]] double log_bytes() const { return estimate(log_bytes_).median; }
  /// What `orrery record` has told of the last one.
  [[nodiscard]] double count(const char* name) const { return counts_.at(name).get<double>(); }

 private:
  const ThreadProgram& program_;
  std::string method_;
  int threads_;
  std::vector<double> writing_;
  std::vector<double> log_bytes_;
  nlohmann::json counts_;
};
/// For files.
[[nodiscard]] std::string number(double value);

}  // namespace orrery::bench
