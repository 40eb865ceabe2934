// `--profile-locks`: which accesses of a run synchronisation orders, for recordings of real
// threads.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <orrery/replay_core/access_protection.hpp>

#include "flags.hpp"
#include "isolated_run.hpp"
#include "machine_flags.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

class LockProfile {
 public:
  void declare(Flags& flags);
  [[nodiscard]] bool is_wanted() const { return path_.has_value(); }
  /// Throws `UsageError` if the file cannot be written, or holds something else.
  void check() const;
  /// Each access must be a step: else those that tell nothing new are not told.
  void set(MachineFlags& machine) const;
  /// Watches the run.
  void watch(IsolatedRun& request);
  /// In the run's process, at its end.
  void conclude(Json& more) const;
  /// Writes the file, with what is there of earlier runs.  Throws `UsageError`: it cannot, or there
  /// is nothing to write.
  void save(const FoundProgram& program, IsolatedResult& result) const;

 private:
  std::optional<std::string> path_;
  std::unique_ptr<AccessProtection> protection_;  ///< null: nobody watches
};

}  // namespace orrery::cli
