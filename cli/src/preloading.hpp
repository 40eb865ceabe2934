// A program that was not built for Orrery becomes the process of the command.
#pragma once

#include <string>
#include <vector>

#include <orrery/program_host/foreign_program.hpp>

namespace orrery::cli {

/// Becomes the program, with all of Orrery preloaded, which takes over where the program
/// would begin and does what this same command line says.  Throws `UsageError` if it cannot: a
/// library is missing.
[[noreturn]] void preload_into(const ForeignProgram& program);

/// How gdb starts a process as this one is, if a program has become it; else empty.  gdb loses its
/// breakpoints where one program becomes another.
struct PreloadedStart {
  std::string program;
  std::vector<std::string> gdb_settings;
};
[[nodiscard]] PreloadedStart preloaded_start();

/// Is this a process that began so?  Until `end_preloading`.
[[nodiscard]] bool is_preloading();
/// Puts the environment back to what the user has.  Returns the path of the command.
std::string end_preloading();

}  // namespace orrery::cli
