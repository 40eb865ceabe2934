// `orrery cc` and `orrery c++`: the compiler, with our MPI, our hooks, and a way of linking that
// lets a program be loaded several times.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace orrery::cli {

enum class Language { c, cplusplus };

/// Where the pieces are that a program is compiled and linked with.
struct CompilePaths {
  std::filesystem::path include_directory;  ///< of our mpi.h
  std::filesystem::path library_directory;  ///< of the stand-in for libmpi
  std::filesystem::path start_object;       ///< makes a shared object one that can be executed
  std::filesystem::path hooks_archive;      ///< what compilers call for atomics and accesses
  std::filesystem::path atomics_header;     ///< read before each file that gcc compiles
  std::filesystem::path memory_header;      ///< the same, of the second image only
  std::filesystem::path strings_header;     ///< the same, of both compilers
  std::filesystem::path memory_archive;     ///< what the C library does with memory, as accesses
  std::filesystem::path wrapped_list;       ///< the functions that are meant, for the linker
  std::filesystem::path blocks_archive;     ///< what counts the blocks of a program
  std::filesystem::path cxx_archive;        ///< what the C++ library does with atomics
  std::filesystem::path wrapped_cxx_list;   ///< the functions that do
};

/// The pieces as they lie beside the command, built or installed: from `bin/orrery`,
/// `../lib/orrery`.  Throws `UsageError` if they are not there.
[[nodiscard]] CompilePaths compile_paths(const std::filesystem::path& command);

/// What a list of arguments asks the compiler to do.
enum class CompileTask {
  information,  ///< no input: `--version`, `-print-...`
  translate,    ///< stops before there is an object: `-S`, `-E`, `-M`; or precompiles a header
  object,       ///< `-c`
  relocatable,  ///< `-r`: objects put together to one
  library,      ///< `-shared`
  bare,         ///< without the C start files: linked as it is
  program,
};
[[nodiscard]] CompileTask compile_task(const std::vector<std::string>& arguments);

/// Runs the compiler (`$ORRERY_CC` or `$ORRERY_CXX`, else gcc or g++) twice side by side, for the
/// two images of what is built (docs/decisions), and returns its exit status.  Its messages go to
/// standard error; where it misses what only Orrery can explain, a line of ours follows them.
/// Throws `UsageError` for what cannot be had (`-static`), and if the compiler cannot be started.
int compile(Language language, const std::vector<std::string>& arguments,
            const CompilePaths& paths);

}  // namespace orrery::cli
