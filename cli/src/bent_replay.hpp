// Recorded runs made to go another way: `replay --swap` and `--order`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <orrery/replay_core/bent_runs.hpp>

#include "console.hpp"
#include "flags.hpp"
#include "program_lookup.hpp"
#include "run_recording.hpp"

namespace orrery::cli {

/// In which way the run is to go otherwise.
class BendFlags {
 public:
  void declare(Flags& flags);
  /// Throws `UsageError` for flags that do not go together.
  [[nodiscard]] bool are_given() const;
  /// The name of the flag that says it.
  [[nodiscard]] std::string name() const;
  /// Reads the file, if there is one.  Throws `UsageError`.
  [[nodiscard]] std::vector<Bend> bends() const;
  /// Which pair of messages is to be exchanged; nothing: a file says what.
  [[nodiscard]] const std::optional<std::uint64_t>& race() const { return race_; }

 private:
  std::optional<std::uint64_t> race_;
  std::optional<std::string> path_;
};

/// Makes the run of a log, and then the bent one; prints what came of that and how it differs, and
/// returns the exit status.  The log has a schedule, and `program` is ready to run.  Throws
/// `UsageError` for what is not in the run or cannot be.
int replay_bent(const Console& console, SavedRun saved, const std::string& path,
                const FoundProgram& program, const BendFlags& flags,
                const RecordingFlags& recording);

}  // namespace orrery::cli
