// Becoming another program, alone or under gdb.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

/// Becomes the program `command.front()`.  Throws `UsageError` if it cannot.
[[noreturn]] void become(const std::vector<std::string>& command);

/// The words of this process's own command line, its name first.
[[nodiscard]] std::vector<std::string> own_words();

/// As `become`, but under gdb, which will stop where the run comes to a finding: `run` starts it.
/// For commands that do a single run.  `settings` are lines that gdb is given before.
[[noreturn]] void become_under_gdb(const std::vector<std::string>& command,
                                   const std::vector<std::string>& settings = {});

}  // namespace orrery::cli
