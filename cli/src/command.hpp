// A subcommand, and the table of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "console.hpp"
#include "flags.hpp"

namespace orrery::cli {

/// What is left of a command line once the flags are taken away.
using Operands = std::vector<std::string>;

/// One subcommand.
class Command {
 public:
  virtual ~Command() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view summary() const = 0;   ///< one line, for --help
  [[nodiscard]] virtual std::string_view operands() const = 0;  ///< `PROGRAM [ARGS...]`
  /// Does all that follows the first operand belong to the program?
  [[nodiscard]] virtual bool takes_program() const { return false; }
  virtual void declare(Flags& flags) = 0;
  /// Does it and returns the exit status.  Throws `UsageError`.
  virtual int run(const Console& console, const Operands& operands) = 0;
};

[[nodiscard]] std::unique_ptr<Command> make_run_command();
[[nodiscard]] std::unique_ptr<Command> make_explore_command();
[[nodiscard]] std::unique_ptr<Command> make_record_command();
[[nodiscard]] std::unique_ptr<Command> make_replay_command();
[[nodiscard]] std::unique_ptr<Command> make_shrink_command();
[[nodiscard]] std::unique_ptr<Command> make_show_command();
[[nodiscard]] std::unique_ptr<Command> make_list_command();
[[nodiscard]] std::unique_ptr<Command> make_env_command();

/// The one operand of a command that takes exactly one; throws `UsageError` otherwise.
[[nodiscard]] const std::string& only_operand(const Operands& operands, std::string_view command,
                                              std::string_view what);

}  // namespace orrery::cli
