// What of a program's inputs a log keeps, and where what it writes goes.
#pragma once

#include <optional>
#include <string>

#include <orrery/replay_core/saved_run.hpp>
#include <orrery/sim_runtime/program_inputs.hpp>

#include "flags.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// `--input`, `--redact` and `--stdin-to`, of commands that record.
class InputFlags {
 public:
  void declare(Flags& flags);
  /// Without `--stdin-to`: on the real machine that is the launcher's business.
  void declare_keeping(Flags& flags);
  /// Throws `UsageError` for what is no way to keep inputs.
  [[nodiscard]] InputPolicy policy() const;
  /// Lets the ranks that were asked for have the standard input.  Throws `UsageError` if there is
  /// no such rank.
  void apply(const FoundProgram& program) const;

 private:
  std::optional<std::string> keeping_;
  std::optional<std::string> redacted_;
  std::optional<std::string> standard_input_to_;
};

/// `--keep-files`, which needs a program of the user's.
void keep_files(const FoundProgram& program, const std::optional<std::string>& directory);

/// Gives a program what its log has of its inputs.  Returns what is wrong with those files that are
/// needed here, as they must be what they were: a divergence; empty: nothing.  Throws `UsageError`
/// for a file that is needed and not here.
[[nodiscard]] std::string use_inputs(const FoundProgram& program, const SavedRun& saved,
                                     const std::string& log_path);

/// The same where something wrong is a `UsageError`, too.
void use_unchanged_inputs(const FoundProgram& program, const SavedRun& saved,
                          const std::string& log_path);

}  // namespace orrery::cli
