// Other programs: becoming one, or asking it.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

/// Becomes the program `command.front()`.  Throws `UsageError` if it cannot.
[[noreturn]] void become(const std::vector<std::string>& command);

/// The words of this process's own command line, its name first.
[[nodiscard]] std::vector<std::string> own_words();

/// What a program says, on both streams, that is started and waited for.  Throws `UsageError` if it
/// cannot be started.
[[nodiscard]] std::string output_of(std::vector<std::string> command);

}  // namespace orrery::cli
