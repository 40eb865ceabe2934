// Atomics that are instructions of a program's own.
#pragma once

#include <string>
#include <vector>

namespace orrery::cli {

/// Where a recorder that stands in front of functions sees nothing: the functions of the program
/// that hold instructions with a lock prefix, or exchanges with memory, sorted, as the program
/// names them.  Without symbols one text for all of them.
[[nodiscard]] std::vector<std::string> functions_with_atomics(const std::string& program);

}  // namespace orrery::cli
