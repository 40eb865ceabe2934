// gdb, with a replay as its program.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

/// What gdb is to do with a command.
struct GdbSession {
  std::vector<std::string> command;   ///< that does a single run
  std::vector<std::string> settings;  ///< lines that gdb is given before
  /// Where to go at once, as gdb's command `orrery until` takes it; empty: 'run' is for the user.
  std::string first_stop;
};

/// Becomes gdb, which will stop where the run comes to a finding, and has Orrery's own commands.
/// Throws `UsageError` if there is no gdb, or none that will do: it must have Python.
[[noreturn]] void become_under_gdb(const GdbSession& session);

}  // namespace orrery::cli
