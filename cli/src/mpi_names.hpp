// The names under which build systems look for an MPI: `mpicc`, `mpicxx`, `mpirun` and the like.
// They are links to the command, in lib/orrery/bin, which then does what is expected under that
// name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile.hpp"

namespace orrery::cli {

/// Where the names are: lib/orrery/bin.
[[nodiscard]] std::filesystem::path mpi_names_directory();

/// `mpicc` and `mpicxx`: answers what it is asked of itself (`-show`, `--showme:link`, ...), else
/// compiles. Throws `UsageError`.
int run_mpi_compiler(Language language, const std::string& name,
                     const std::vector<std::string>& words);

/// `mpirun`: becomes `orrery run` of the same program.  Throws `UsageError`.
int run_mpi_launcher(const std::string& name, const std::vector<std::string>& words);

/// What to do if the command was started under such a name; nothing: it was not.
[[nodiscard]] std::optional<int> run_as_mpi_name(const std::string& started_as,
                                                 const std::vector<std::string>& words);

}  // namespace orrery::cli
