// The command line, from its words to an exit status.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

/// Does what the words after `orrery` say.  Never throws a `UsageError`: it is printed.
int run_command_line(const std::vector<std::string>& words);

/// The same where the command may have been started as `mpicc`, `mpirun` and the like.
int run_started_as(const std::string& name, const std::vector<std::string>& words);

}  // namespace orrery::cli
