// The two ways in which code of ours gives up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace orrery {

/// The caller's mistake: a bad argument, file, platform or log.  Says what is wrong, where, and
/// what to do instead.  The command prints the three and exits with status 2.
///
///     throw UsageError("the duration '20' has no unit", "--window", "write 20ns, 20us, 20ms or
///     20s");
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(std::string what, std::string where = {}, std::string hint = {})
      : std::runtime_error(compose(what, where, hint)),
        what_(std::move(what)),
        where_(std::move(where)),
        hint_(std::move(hint)) {}

  /// What is wrong, without place and advice.
  [[nodiscard]] const std::string& problem() const { return what_; }
  /// The flag, file and offset, or argument at fault; may be empty.
  [[nodiscard]] const std::string& where() const { return where_; }
  /// What to do instead; may be empty.
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  static std::string compose(const std::string& what, const std::string& where,
                             const std::string& hint) {
    std::string text = where.empty() ? what : where + ": " + what;
    if (!hint.empty()) text += " (" + hint + ")";
    return text;
  }
  std::string what_;
  std::string where_;
  std::string hint_;
};

namespace detail {
/// Says which invariant broke, with its operands, the line, the run and how to do it again, then
/// aborts.  Never returns.
[[noreturn]] void invariant_broken(const char* what, const char* file, unsigned line,
                                   long long left, long long right);
/// The run that this thread does, or did last.  Costs two stores.
void set_invariant_run(std::uint64_t seed, std::uint64_t run_index);
/// How the user can do all of it again: a command.  Copied, and cut at 511 bytes; for one thread.
void set_invariant_command(const std::string& command);
/// Where the words go instead of standard error: memory that outlives this process, for somebody
/// who tells them.  Null: standard error again.  For one thread.
void set_invariant_sink(char* text, std::size_t bytes);

/// Checks an invariant of our own, in release builds too.  `left` and `right` are printed.
inline void ensure(bool holds, const char* what, long long left = 0, long long right = 0,
                   const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
  if (__builtin_expect(!holds, 0)) invariant_broken(what, file, line, left, right);
}
}  // namespace detail
}  // namespace orrery
