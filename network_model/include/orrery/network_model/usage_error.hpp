// The two ways in which code of ours gives up.
#pragma once

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
/// Prints the broken invariant with its operands, the line, and the context that
/// `set_invariant_context` last gave (seed and replay command), then aborts.  Never returns.
[[noreturn]] void invariant_broken(const char* what, const char* file, unsigned line,
                                   long long left, long long right);
/// What an abort should print beside the invariant: usually the seed and how to replay.  `text`
/// is copied and cut at 511 bytes; safe to call from one thread at a time.
void set_invariant_context(const char* text);

/// Checks an invariant of our own, in release builds too.  `left` and `right` are printed.
inline void ensure(bool holds, const char* what, long long left = 0, long long right = 0,
                   const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
  if (__builtin_expect(!holds, 0)) invariant_broken(what, file, line, left, right);
}
}  // namespace detail
}  // namespace orrery
