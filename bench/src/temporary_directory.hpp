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

/// Runs a command of the shell; what it writes to its standard output.  Throws `UsageError` if it
/// fails, with that.
[[nodiscard]] std::string output_of(const std::string& command);
/// The same without output, also on the standard error, unless it fails.
void run_command(const std::string& command);

}  // namespace orrery::bench
