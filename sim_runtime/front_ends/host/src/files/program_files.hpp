// A program and the shared libraries of its project.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "programs/program_file.hpp"

namespace orrery::host {

/// The program, and all libraries that it needs, directly or not, and that `orrery cc` made: the
/// same image of each.  Libraries that were built without Orrery are left to the loader.
class ProgramFiles {
 public:
  /// Throws `UsageError` as `ProgramFile` does.
  ProgramFiles(const std::filesystem::path& program, ImageKind kind);

  /// In the order in which their constructors run: what one needs comes before it.  First those
  /// that the program needs, then the program, then what it has opened itself.
  [[nodiscard]] const std::deque<ProgramFile>& all() const { return files_; }
  [[nodiscard]] const ProgramFile& program() const { return files_[program_]; }
  [[nodiscard]] std::size_t program_number() const { return program_; }

  /// The number of a library that the program opens, which is added with what it needs unless it
  /// is known.  Throws `UsageError`.
  std::size_t opened(const std::filesystem::path& library);
  /// It, and all of `all` that it needs, in their order.
  [[nodiscard]] std::vector<std::size_t> with_needs(std::size_t file) const;

  /// One that another one needs: the how-many-th of its libraries, and which of `all`.
  struct Need {
    std::size_t index;
    std::size_t file;
  };
  [[nodiscard]] const std::vector<Need>& needs(std::size_t file) const { return needs_[file]; }
  /// Other libraries that the program finds by its own place ($ORIGIN), which its copies have not.
  [[nodiscard]] const std::vector<std::filesystem::path>& found_by_place() const {
    return found_by_place_;
  }

 private:
  void add(const std::filesystem::path& path, ProgramFile::Role role);
  void note_needs();
  [[nodiscard]] std::size_t find(const std::filesystem::path& path) const;

  ImageKind kind_;
  std::size_t program_ = 0;
  std::deque<ProgramFile> files_;
  std::vector<std::vector<Need>> needs_;
  std::vector<std::filesystem::path> begun_;  // libraries that are being added
  std::vector<std::filesystem::path> found_by_place_;
};

}  // namespace orrery::host
