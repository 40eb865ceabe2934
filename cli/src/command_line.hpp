// The command line, from its words to an exit status.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

/// Does what the words after `orrery` say.  Never throws a `UsageError`: it is printed.
int run_command_line(const std::vector<std::string>& words);

}  // namespace orrery::cli
