// Where the program's own output goes.
#pragma once

#include <optional>
#include <string>

#include "console.hpp"
#include "isolated_run.hpp"

namespace orrery::cli {

/// Passes a program's output on: to standard output and standard error, as it comes; with `--json`
/// nowhere (it becomes a field); and for `--output-per-rank` to a file for each task and stream.
class ProgramOutput {
 public:
  /// Makes the directory, where one is given.  Throws `UsageError` if it cannot.
  ProgramOutput(const Console& console, const std::optional<std::string>& directory);
  void take(const OutputPiece& piece);
  [[nodiscard]] std::function<void(const OutputPiece&)> sink() {
    return [this](const OutputPiece& piece) { take(piece); };
  }

 private:
  bool is_passed_on_;
  std::string directory_;
};

}  // namespace orrery::cli
