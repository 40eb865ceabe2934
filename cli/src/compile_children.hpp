// Compilers as child processes, at most two at a time.
#pragma once

#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace orrery::cli {

inline constexpr int cannot_execute = 127;

struct ChildCommand {
  std::vector<std::string> words;
  std::filesystem::path input;  ///< for its standard input; empty: ours
  bool is_silent = false;       ///< its messages are only kept
};

struct ChildResult {
  int status = 0;        ///< as a shell gives it
  std::string messages;  ///< what it wrote to standard error
};

/// Thrown when one of the signals has come that `SignalsHeld` holds, after the children have ended.
struct Interrupted {};

/// While it lives, SIGINT, SIGTERM and SIGHUP wait until we have cleared up: they come at its end.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> former_{};
};

/// Runs the first and, one after the other, the rest beside it.
[[nodiscard]] std::vector<ChildResult> run_side_by_side(const std::vector<ChildCommand>& commands);

/// What a command writes to standard output, less the newlines at its end; empty if it fails.
[[nodiscard]] std::string answer_of(const std::vector<std::string>& words);

/// A directory for what is made on the way, gone at the end.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  /// A name for another file in it that ends in `name`, the same ones in each invocation.
  [[nodiscard]] std::filesystem::path another(const std::string& name);

 private:
  std::filesystem::path path_;
  int count_ = 0;
};

}  // namespace orrery::cli
