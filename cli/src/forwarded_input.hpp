// A standard input that is kept on its way to a program.
#pragma once

#include <string>

namespace orrery::cli {

/// Stands between a pipe that is our standard input and a program that is to read it: what goes
/// through is in a file, too.  Files are kept by whoever reads them, and terminals are not kept.
class ForwardedInput {
 public:
  /// `path`: where it is kept.  Throws `UsageError` if the system has no pipe for it.
  explicit ForwardedInput(const std::string& path);
  ~ForwardedInput();
  ForwardedInput(const ForwardedInput&) = delete;
  ForwardedInput& operator=(const ForwardedInput&) = delete;

  /// For the program; -1: our own.
  [[nodiscard]] int program_end() const { return program_end_; }
  /// The program has been started: begins.
  void begin();

 private:
  std::string path_;
  int program_end_ = -1;
  int own_end_ = -1;
};

}  // namespace orrery::cli
