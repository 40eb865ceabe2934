// One interval of a run with checkpoints, once more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "console.hpp"
#include "flags.hpp"

namespace orrery::cli {

/// Which interval `replay` is asked for, in one of three ways.
class IntervalFlags {
 public:
  void declare(Flags& flags);
  /// Is it asked for one?  Throws `UsageError` for flags that do not go together.
  [[nodiscard]] bool are_given() const;
  /// The name of the flag that says which.
  [[nodiscard]] std::string name() const;
  /// Throws `UsageError` if the run has no such interval.
  [[nodiscard]] IntervalId find(const CheckpointedRun& run) const;

 private:
  std::optional<std::string> interval_;
  std::optional<VirtualDuration> date_;
  std::optional<std::uint64_t> rank_;
  std::optional<std::string> event_;
};

/// The log, or what a recording that was killed has left of it.
[[nodiscard]] std::string log_or_what_is_left(const std::string& path);

/// Executes it again, prints what came of it, and returns the exit status.  `path`: of the log.
int replay_wanted_interval(const Console& console, const SavedRun& saved, const std::string& path,
                           const IntervalFlags& flags);

}  // namespace orrery::cli
