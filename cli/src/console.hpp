// How the command speaks: colours, errors, and what `--quiet` and `--json` mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::cli {

/// Exit statuses.  If several apply: 2 before 1 before 3 before 0.
inline constexpr int status_clean = 0;
inline constexpr int status_finding = 1;
inline constexpr int status_usage = 2;
inline constexpr int status_limit = 3;

/// What every subcommand understands.
struct Console {
  bool is_json = false;  ///< one object on standard output instead of text
  bool is_quiet = false;
  bool no_color = false;
  std::vector<std::string> words;  ///< the whole command line after `orrery`
};

/// Makes text bold or coloured, or leaves it as it is.  A value type.
class Paint {
 public:
  explicit Paint(bool is_on) : is_on_(is_on) {}
  /// On where `fd` is a terminal and neither `--no-color` nor NO_COLOR says otherwise.
  static Paint for_stream(const Console& console, int fd);

  [[nodiscard]] bool is_on() const { return is_on_; }
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return wrap("1;31", text); }
  [[nodiscard]] std::string green(std::string_view text) const { return wrap("32", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return wrap("33", text); }
  [[nodiscard]] std::string cyan(std::string_view text) const { return wrap("36", text); }
  [[nodiscard]] std::string faint(std::string_view text) const { return wrap("2", text); }

 private:
  [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const;
  bool is_on_;
};

/// Says what the caller did wrong: `orrery: where: what` and `hint: ...` on standard error, or
/// the JSON object of errors on standard output.  Returns the exit status, 2.
int print_error(const Console& console, const UsageError& error);

/// Writes to standard output, all of it.  Throws `UsageError` if it cannot (a full disk).
void print_out(std::string_view text);
/// Writes to standard error; what cannot be written there is lost.
void print_err(std::string_view text);
/// As `print_err`, but not with `--quiet`.
void print_note(const Console& console, std::string_view text);

}  // namespace orrery::cli
