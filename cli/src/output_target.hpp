// Where a file goes that takes long to make.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace orrery::cli {

/// A file, or a directory, that has its name when all of it is there; or standard output, which
/// gets nothing before.  What is unfinished goes away with the object.
class OutputTarget {
 public:
  enum class Sort { file, directory };
  /// Without a path: standard output, for a file.  `flag` says of the command line what is written.
  /// Throws `UsageError` if nothing can be written there.
  OutputTarget(Sort sort, const std::optional<std::string>& path, std::string flag,
               const std::string& path_flag);
  ~OutputTarget();
  OutputTarget(const OutputTarget&) = delete;
  OutputTarget& operator=(const OutputTarget&) = delete;

  /// Where it is made, in any process: a file that is open, or an empty directory.
  [[nodiscard]] int descriptor() const { return fileno(file_.get()); }
  [[nodiscard]] const std::string& directory() const { return unfinished_; }
  /// In this process, when that has been done.
  void finish();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void copy_to(int descriptor, const std::string& where) const;

  std::string flag_;
  std::string path_;        ///< empty: standard output
  std::string unfinished_;  ///< the file or directory beside it; empty: a file without a name
  std::unique_ptr<std::FILE, CloseFile> file_;
};

}  // namespace orrery::cli
