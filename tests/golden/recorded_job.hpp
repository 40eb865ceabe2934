// Programs of Debian's mpicc, recorded by `orrery record` under its mpirun.
#pragma once

#include <string>

#include <orrery/replay_core/log.hpp>
#include <orrery/replay_core/open_calls.hpp>
#include <orrery/replay_core/run_settings.hpp>

#include "command_runner.hpp"

namespace orrery::test {

/// Is there one?  Says so in the test's output if not.
[[nodiscard]] bool has_open_mpi();
/// Builds `source` as `NAME` with Debian's mpicc; the test ends if that fails.
void build_with_mpicc(const WorkingDirectory& here, const std::string& name,
                      const std::string& source);
/// `record FLAGS -o FILE mpirun ... -n RANKS WORDS`.
[[nodiscard]] CommandResult record(const WorkingDirectory& here, const std::string& file, int ranks,
                                   const std::string& words, const std::string& flags = {});

/// What is in a log that was recorded so.
struct RecordedLog {
  Log log;
  std::vector<OpenCalls> calls;
  std::vector<Finding> findings;

  RecordedLog(const WorkingDirectory& here, const std::string& file);
  /// Of that rank; nothing if it is not in the log.
  [[nodiscard]] OpenCalls of_rank(std::uint32_t rank) const;
};

}  // namespace orrery::test
