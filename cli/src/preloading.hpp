// A program that was not built for Orrery becomes the process of the command.
#pragma once

#include <string>

#include <orrery/program_host/foreign_program.hpp>

namespace orrery::cli {

/// Becomes the program, with all of Orrery preloaded, which takes over where the program
/// would begin and does what this same command line says.  Throws `UsageError` if it cannot: a
/// library is missing.
[[noreturn]] void preload_into(const ForeignProgram& program);

/// Is this a process that began so?  Until `end_preloading`.
[[nodiscard]] bool is_preloading();
/// Puts the environment back to what the user has.  Returns the path of the command.
std::string end_preloading();

}  // namespace orrery::cli
