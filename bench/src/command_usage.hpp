// What commands need.
#pragma once

#include <string>

namespace orrery::bench {

/// Of a command of the shell, and all that it started and waited for.
struct CommandUsage {
  double cpu_s = 0;
  double memory_bytes = 0;  ///< the most that one of its processes had resident
  int status = 0;           ///< its exit status, or 128 and its signal
};

/// Both its outputs are dropped.  Throws `UsageError` if no process can be made.
[[nodiscard]] CommandUsage usage_of(const std::string& command);

}  // namespace orrery::bench
