// What `./dev bench recplay` prints, and the programs that it measures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../src/table_options.hpp"

namespace orrery::bench {

/// A program with the shape of one of SPLASH-2's, or with many locks.  `{}` in the arguments: how
/// many threads.
struct Kernel {
  const char* name;
  const char* shape;
  const char* arguments;
  const char* quick_arguments;
  bool is_of_paper;     ///< stands for one of the paper's
  const char* planted;  ///< the file with its data race, built with -DBUG; null: its bug is another

  [[nodiscard]] const char* sized(bool is_small) const {
    return is_small ? quick_arguments : arguments;
  }
};

/// What all tables need.
struct RecplayBench {
  TableOptions options;
  std::filesystem::path pictures;  ///< where CSV and SVG files go

  /// Those that were asked for.
  [[nodiscard]] std::vector<Kernel> kernels() const;
  [[nodiscard]] bool wants(const std::string& table) const;
};

/// Table 1 of the paper: recording, replaying, and detecting on the way.
void print_costs(const RecplayBench& bench);
/// Table 2, and figures 2 and 3: how many segments there are, and are held.
void print_segments(const RecplayBench& bench);
/// Each detector, and other tools, on the programs and their bugs.
void print_detectors(const RecplayBench& bench);
/// What each method keeps of the same runs.
void print_logs(const RecplayBench& bench);

}  // namespace orrery::bench
