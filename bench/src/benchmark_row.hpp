// What a benchmark is here: something to measure, what to set beside it, and what it should reach.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace orrery::bench {

/// One measurement, in the row's unit.
struct Sample {
  double figure = 0;
  double peer = 0;   ///< the same of what it is compared with, measured right beside it; 0: none
  std::string note;  ///< for the reader: which program, what else was seen
};

/// What a row should reach: its figure, the ratio of its figure to its peer, or how far in parts of
/// its peer it is away from it, above or below.
struct Target {
  enum class Of { nothing, figure, ratio, error };
  enum class Bound { at_most, at_least };
  Of of = Of::nothing;
  Bound bound = Bound::at_most;
  double value = 0;
};
[[nodiscard]] constexpr Target figure_at_most(double value) {
  return {Target::Of::figure, Target::Bound::at_most, value};
}
[[nodiscard]] constexpr Target figure_at_least(double value) {
  return {Target::Of::figure, Target::Bound::at_least, value};
}
[[nodiscard]] constexpr Target ratio_at_most(double value) {
  return {Target::Of::ratio, Target::Bound::at_most, value};
}
[[nodiscard]] constexpr Target ratio_at_least(double value) {
  return {Target::Of::ratio, Target::Bound::at_least, value};
}
[[nodiscard]] constexpr Target error_at_most(double value) {
  return {Target::Of::error, Target::Bound::at_most, value};
}

/// One row of the table.  Its figure is the median of `repetitions` samples, its ratio the median
/// of theirs: both halves of a sample are measured within milliseconds of each other, so that what
/// else the machine does falls out.
struct BenchmarkRow {
  std::string name;
  std::string unit;
  std::string peer;  ///< what it is compared with; empty: nothing
  Target target;
  int repetitions = 1;
  std::function<Sample()> sample;
};

// The rows, by what they are about; all together in `main.cpp`.
[[nodiscard]] std::vector<BenchmarkRow> step_cost_rows();
[[nodiscard]] std::vector<BenchmarkRow> run_rate_rows();
[[nodiscard]] std::vector<BenchmarkRow> scale_rows();
[[nodiscard]] std::vector<BenchmarkRow> log_cost_rows();
[[nodiscard]] std::vector<BenchmarkRow> network_rate_rows();
[[nodiscard]] std::vector<BenchmarkRow> cluster_scale_rows();
[[nodiscard]] std::vector<BenchmarkRow> myrinet_rows();

/// What the helper process of `scale_rows` does: one run of many tasks, then prints the most
/// memory that it ever had, in bytes.
void print_memory_of_many_tasks();
inline constexpr const char* memory_helper_flag = "--memory-of-many-tasks";
/// The same for `cluster_scale_rows`.
void print_large_cluster();
inline constexpr const char* large_cluster_flag = "--large-cluster";
void print_memory_of_mpi_ranks();
inline constexpr const char* mpi_ranks_flag = "--memory-of-mpi-ranks";

}  // namespace orrery::bench
