// Executables as compilers make them, loaded many times into one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace orrery::host {

/// A variable of a library's of which the linker gave the executable a copy, for all to use.  Once
/// the executable is one of many, only its own code uses that copy.
struct CopiedVariable {
  std::string name;
  std::uintptr_t address = 0;  ///< in the file's own numbering
  std::size_t size_bytes = 0;
};

/// What was left of an executable's own ways.
struct OrdinaryExecutable {
  std::uintptr_t start = 0;  ///< of its first instructions; see `main_of`
  std::vector<CopiedVariable> copied;
};

/// Changes a position-independent executable so that the loader takes it as a library, and MPI's
/// predefined handles are the addresses of the library's own symbols.
///
/// A handle such as MPI_COMM_WORLD is an address, and the linker had given the executable a copy of
/// what lies there, at another address than what the library itself calls MPI_COMM_WORLD.  The
/// place of the copy now holds the library's address: instructions that took the address of the
/// copy (`lea`) read it from there (`mov`, which differs in one byte).
///
/// Throws `UsageError` for what cannot be loaded many times, naming the symbol.
OrdinaryExecutable make_loadable(std::vector<std::byte>& bytes, const std::filesystem::path& path);

/// Runs the first instructions of a loaded copy, up to where they hand their `main` to the C
/// library.
[[nodiscard]] void* main_of(void* start);

/// May what lies there be changed, once its library has been loaded?
[[nodiscard]] bool is_variable(const void* place);

}  // namespace orrery::host
