// Runs the built command, as a user does, in a directory of its own.
#pragma once

#include <filesystem>
#include <source_location>
#include <string>
#include <vector>

namespace orrery::test {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What a command line came to.
struct CommandResult {
  int status = -1;  ///< as a shell gives it: 128 + n for signal n
  std::string out;
  std::string err;
};

/// An empty directory, removed at the end, in which commands run.  It is called after the line of
/// the test that wants it, unless that name is taken: debug information names the directory, and
/// so what is built again in one of the same name is the same.
class WorkingDirectory {
 public:
  WorkingDirectory(const std::source_location& where = std::source_location::current());
  ~WorkingDirectory();
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Names of all files below, sorted.
  [[nodiscard]] std::vector<std::string> files() const;
  void write(const std::string& name, const std::string& bytes) const;
  [[nodiscard]] std::string read(const std::string& name) const;

  /// Runs `orrery` with these words, which the shell reads; nothing on standard input, or `input`.
  [[nodiscard]] CommandResult orrery(const std::string& words, const std::string& input = {}) const;
  /// Runs any shell command.
  [[nodiscard]] CommandResult shell(const std::string& command) const;

 private:
  std::filesystem::path path_;
  std::filesystem::path streams_;  // beside it, so that `files` is what the command leaves
};

/// Builds `app` of `file` by this compiler with its flags, first its object: that is most of the
/// work, and ccache, where it is, has it from the last time.  `last` are flags that come behind the
/// file.  The test ends if that fails.
void build_by(const WorkingDirectory& here, const std::string& compiler, const std::string& file,
              const std::string& last = {});

/// The same by `orrery cc` or `orrery c++`: `words` begin with one of these.
void build_by_orrery(const WorkingDirectory& here, const std::string& words,
                     const std::string& file, const std::string& last = {});

/// Writes `source` as `app.c` (`language` is the end of its name: `c`, or one of C++) and builds
/// `app` of it by Orrery with these flags.
void build_app(const WorkingDirectory& here, const std::string& source, const std::string& flags,
               const std::string& language = "c");

}  // namespace orrery::test
