// `orrery cc` and `orrery c++`: the compiler, with our MPI and a way of linking that lets a program
// be loaded several times.
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
};

/// The pieces as they lie beside the command, built or installed: from `bin/orrery`,
/// `../lib/orrery`.  Throws `UsageError` if they are not there.
[[nodiscard]] CompilePaths compile_paths(const std::filesystem::path& command);

/// What a list of arguments asks the compiler to do.
enum class CompileTask {
  information,  ///< no input: `--version`, `-print-...`
  translate,    ///< stops before linking: `-c`, `-S`, `-E`, `-M`
  library,      ///< `-shared`, `-r`, or without the C start files: linked as it is
  program,
};
[[nodiscard]] CompileTask compile_task(const std::vector<std::string>& arguments);

/// What the compiler itself knows of its own files.
struct CompilerFiles {
  std::string start_file;  ///< its Scrt1.o
  bool is_clang = false;
  std::string sanitizer_directory;  ///< of clang: where its shared sanitizers are
};

/// The arguments for the compiler itself, without its name.  Throws `UsageError` for what cannot
/// be had (`-static`).
[[nodiscard]] std::vector<std::string> compiler_arguments(const std::vector<std::string>& arguments,
                                                          const CompilePaths& paths,
                                                          const CompilerFiles& files);

/// Runs the compiler (`$ORRERY_CC` or `$ORRERY_CXX`, else gcc or g++) with all arguments handed
/// on, and returns its exit status.  Its messages go to standard error; where it misses what only
/// Orrery can explain, a line of ours follows them.  Throws `UsageError` as above, and if the
/// compiler cannot be started.
int compile(Language language, const std::vector<std::string>& arguments,
            const CompilePaths& paths);

}  // namespace orrery::cli
