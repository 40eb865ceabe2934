// A part of a recorded run, once more: one interval of a run with checkpoints, or one rank.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "console.hpp"
#include "flags.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// Which part `replay` is asked for: an interval, in one of three ways, or a rank.
class IntervalFlags {
 public:
  void declare(Flags& flags);
  /// Takes in what was given.  Throws `UsageError` for flags that do not go together.
  void check(bool is_for_debugger);
  /// Is it asked for a part?
  [[nodiscard]] bool are_given() const {
    return interval_ || date_ || event_ || task_event_ || rank_;
  }
  /// The rank that is wanted from its beginning; nothing: an interval is, if they are given.
  [[nodiscard]] std::optional<std::int32_t> lone_rank() const;
  /// The name of the flag that says which.
  [[nodiscard]] std::string name() const;
  /// Where a debugger is to stop: `2:17`, `3.17`, `2@1.5ms` or `1.5ms`; empty: nowhere.  Throws
  /// `UsageError` for what says otherwise, or for a rank that the run has not: `ranks` is how many
  /// it has, 0 where it is not known.
  [[nodiscard]] std::string stop(std::uint32_t ranks) const;
  /// Throws `UsageError` if the run has no such interval.
  [[nodiscard]] IntervalId find(const CheckpointedRun& run) const;

 private:
  std::optional<std::string> interval_;
  std::optional<std::string> at_;
  std::optional<VirtualDuration> date_;
  std::optional<std::uint64_t> rank_;
  std::optional<std::string> event_;
  std::optional<std::string> task_event_;  ///< of a task, for debuggers
};

/// The log, or what a recording that was killed has left of it.
[[nodiscard]] std::string log_or_what_is_left(const std::string& path);

/// Executes it again, prints what came of it, and returns the exit status.  `path`: of the log.
/// `find_program` may throw `UsageError`: then a crash is told without lines.
int replay_wanted_interval(const Console& console, const SavedRun& saved, const std::string& path,
                           const IntervalFlags& flags,
                           const std::function<FoundProgram()>& find_program);

/// The same for all of a rank, alone; `program` is ready to run.
int replay_lone_rank(const Console& console, const SavedRun& saved, const std::string& path,
                     const FoundProgram& program, std::int32_t rank);

}  // namespace orrery::cli
