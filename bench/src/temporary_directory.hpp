// Files that are gone at the end, and the commands that use them.
#pragma once

#include <string>

namespace orrery::bench {

/// A directory of its own, removed with all that is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file, and says where it is.
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

/// Runs a command of the shell, without its output.  Throws `UsageError` if it fails, with its
/// output.
void run_command(const std::string& command);

}  // namespace orrery::bench
