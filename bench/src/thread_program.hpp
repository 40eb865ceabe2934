// The programs of scenarios/programs/threads, for benchmarks: built, and in commands of the shell.
#pragma once

#include <string>

#include "temporary_directory.hpp"

namespace orrery::bench {

/// What its wall clock shows of a command of the shell; throws `UsageError` if it fails.
[[nodiscard]] double wall_seconds_of(const std::string& command);

/// One of them in a directory of its own, built by `orrery cc`.
class ThreadProgram {
 public:
  /// `arguments`: with `{}` where the number of threads stands.  `flags`: of the compiler.
  ThreadProgram(const std::string& name, std::string arguments, const std::string& flags = "");

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string log() const { return directory_.path() + "/run.orr"; }
  [[nodiscard]] std::string file(const std::string& name) const {
    return directory_.path() + "/" + name;
  }
  /// On real cores.
  [[nodiscard]] std::string command(int threads) const;
  [[nodiscard]] std::string recorded(int threads, const std::string& flags) const;
  /// The log's run once more, on one core.
  [[nodiscard]] std::string replayed(const std::string& flags) const;

 private:
  TemporaryDirectory directory_;
  std::string path_;
  std::string arguments_;
};

}  // namespace orrery::bench
