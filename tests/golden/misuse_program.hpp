// A program with many mistakes in it, each on a line of its own: which one it makes, its argument
// says.  So one build serves a whole table of tests.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace orrery::test {

/// What a thread does wrong, and what the command says of it.
struct Misuse {
  const char* statement;
  const char* kind;     ///< of the finding
  const char* message;  ///< a part of it
  /// The function of the first place; null: the one that the statement stands in, on its line.
  const char* function = nullptr;
};

/// The threads of the program are `main` and `worker#1`, who makes the mistake.
class MisuseProgram {
 public:
  /// `prelude` comes before the statements.  `language` is `c` or `cpp`; `compiler` what to set
  /// ORRERY_CC and ORRERY_CXX to.
  MisuseProgram(const std::string& prelude, const std::vector<Misuse>& all,
                const std::string& language, const std::string& compiler);

  /// Runs each of them, and checks kind, message, task and line of what is found.
  void check_findings() const;

 private:
  void check(std::size_t index) const;

  WorkingDirectory here_;
  std::vector<Misuse> all_;
  unsigned first_line_ = 0;  ///< of the first statement; each takes three lines
};

}  // namespace orrery::test
