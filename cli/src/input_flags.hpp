// What of a program's inputs a log keeps, and where what it writes goes.
#pragma once

#include <optional>
#include <string>

#include <orrery/replay_core/saved_run.hpp>
#include <orrery/sim_runtime/program_inputs.hpp>

#include "flags.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// `--input` and `--redact`, of commands that record.
class InputFlags {
 public:
  void declare(Flags& flags);
  /// Throws `UsageError` for what is no way to keep inputs.
  [[nodiscard]] InputPolicy policy() const;

 private:
  std::optional<std::string> keeping_;
  std::optional<std::string> redacted_;
};

/// `--keep-files`, which needs a program of the user's.
void keep_files(const FoundProgram& program, const std::optional<std::string>& directory);

/// Gives a program what its log has of its inputs.  Returns what is wrong with those files that are
/// needed here, as they must be what they were: a divergence; empty: nothing.  Throws `UsageError`
/// for a file that is needed and not here.
[[nodiscard]] std::string use_inputs(const FoundProgram& program, const SavedRun& saved,
                                     const std::string& log_path);

}  // namespace orrery::cli
