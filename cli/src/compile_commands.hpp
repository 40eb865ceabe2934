// The two commands that `orrery cc` runs in the place of one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile.hpp"
#include "compile_arguments.hpp"
#include "compile_inputs.hpp"

namespace orrery::cli {

/// The compiler, and what it knows of its own files.
struct Compiler {
  std::vector<std::string> words;  ///< with what stands before it: `ccache gcc`
  bool is_clang = false;
  std::string start_file;           ///< its Scrt1.o; found out for programs only
  std::string sanitizer_directory;  ///< of clang: where its shared sanitizers are
};

enum class Image {
  plain,         ///< atomics are calls; all else is as ever
  instrumented,  ///< accesses are calls too
};

/// Is the linker told to leave out symbols?
[[nodiscard]] bool strips_symbols(const CompileArguments& arguments);

/// The command that makes this image of whatever the arguments ask for.
class CommandWriter {
 public:
  CommandWriter(const CompileArguments& arguments, const CompilePaths& paths,
                const Compiler& compiler)
      : arguments_(&arguments), paths_(&paths), compiler_(&compiler) {}

  [[nodiscard]] std::vector<std::string> first() const;
  /// A link of the same at the same addresses, but with its symbols.
  [[nodiscard]] std::vector<std::string> first_with_symbols(
      const std::filesystem::path& output) const;
  /// Of one of several sources of `-c`.
  [[nodiscard]] std::vector<std::string> second_object(std::size_t source,
                                                       const std::filesystem::path& output) const;
  [[nodiscard]] std::vector<std::string> second_link(SecondInputs& inputs,
                                                     const std::filesystem::path& output) const;

 private:
  [[nodiscard]] bool links() const;
  void add_front(std::vector<std::string>& words, Image image) const;
  void add_place(std::vector<std::string>& words) const;
  void add_image_flags(std::vector<std::string>& words, Image image) const;
  void add_cxx_archive(std::vector<std::string>& words) const;
  void add_back(std::vector<std::string>& words) const;
  void add(std::vector<std::string>& words, const Argument& argument) const;

  const CompileArguments* arguments_;
  const CompilePaths* paths_;
  const Compiler* compiler_;
};

}  // namespace orrery::cli
