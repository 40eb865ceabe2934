// Where the program's own output goes.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "console.hpp"
#include "isolated_run.hpp"

namespace orrery::cli {

/// Passes a program's output on: to standard output and standard error, as it comes; with `--json`
/// nowhere (it becomes a field); and for `--output-per-rank` to a file for each rank and stream,
/// which has its name when the run is over: whoever finds `rank-0.out` finds all of it.
class ProgramOutput {
 public:
  /// Makes the directory, where one is given.  Throws `UsageError` if it cannot.
  ProgramOutput(const Console& console, const std::optional<std::string>& directory);
  void take(const OutputPiece& piece);
  [[nodiscard]] std::function<void(const OutputPiece&)> sink() {
    return [this](const OutputPiece& piece) { take(piece); };
  }
  /// The run is over.
  void finish();

 private:
  bool is_passed_on_;
  std::string directory_;
  std::set<std::string> names_;  ///< of the files, in the end
};

}  // namespace orrery::cli
