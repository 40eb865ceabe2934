// Small programs, written in a test and built with `orrery cc`.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <compile.hpp>

namespace orrery::test {

/// A directory that is gone after the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery_test_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline cli::CompilePaths built_paths() {
  return cli::compile_paths(ORRERY_BINARY);
}

/// Compiles and links one file; empty if that failed.
inline std::filesystem::path build_program(const TemporaryDirectory& directory,
                                           const std::string& text,
                                           cli::Language language = cli::Language::c,
                                           std::vector<std::string> arguments = {"-g"}) {
  const bool is_c = language == cli::Language::c;
  const auto source = directory.write(is_c ? "program.c" : "program.cpp", text);
  const auto program = directory / "program";
  arguments.insert(arguments.end(), {source.string(), "-o", program.string()});
  return cli::compile(language, arguments, built_paths()) == 0 ? program : std::filesystem::path();
}

}  // namespace orrery::test
