// Programs in several builds, and commands that are timed by the processor time that they took.
#pragma once

#include <optional>
#include <string>

namespace orrery::bench {

/// One of the compilers that programs are built with.
struct Compiler {
  const char* name;  ///< in the table
  const char* c;
  const char* cpp;
};
inline constexpr Compiler compilers[] = {{"gcc", "gcc", "g++"}, {"clang", "clang", "clang++"}};

/// Assignments for a shell, with which `CC` and `CXX` are the compiler itself.
[[nodiscard]] std::string plain_build(const Compiler& compiler);
/// With which they are `orrery cc` and `orrery c++` on top of the compiler.
[[nodiscard]] std::string orrery_build(const Compiler& compiler);

/// The command of a simulated run, up to the program's path.
[[nodiscard]] std::string simulated_run(const std::string& flags);

/// What a shell command and all that it started needed; throws `UsageError` if it fails.
[[nodiscard]] double cpu_seconds_of(const std::string& command);

/// Whether there is such a command here.
[[nodiscard]] bool is_installed(const std::string& command);

/// On one core.
inline const std::string on_one_core = "taskset -c 0 ";

}  // namespace orrery::bench
