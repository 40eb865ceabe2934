// Races that nobody wants to hear of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/finding.hpp>

namespace orrery {

/// A list in the format of ThreadSanitizer: lines of `race:PATTERN`, `race_top:PATTERN` or
/// `called_from_lib:PATTERN`; `#` begins a comment.  A pattern is looked for anywhere in the name
/// of a function, its file, the variable, or a function of a library that a note says to race; `*`
/// is any text, `^` in front the beginning and `$` at the back the end.
class Suppressions {
 public:
  enum class Kind : std::uint8_t { race, race_top, called_from_lib };
  struct Line {
    Kind kind = Kind::race;
    std::string pattern;
    std::uint32_t number = 0;
    [[nodiscard]] std::string text() const;
  };

  Suppressions() = default;
  /// Throws `UsageError` with the line that does not parse; `where` is the file's name.
  [[nodiscard]] static Suppressions parse(std::string_view text, std::string_view where);
  /// The same of a file.  Throws `UsageError` if it cannot be read, too.
  [[nodiscard]] static Suppressions read(const std::string& path);

  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  /// What the file has besides that is of no effect here: `line 3: deadlock:foo`.
  [[nodiscard]] const std::vector<std::string>& without_effect() const { return without_effect_; }
  /// The number of the line that suppresses this finding; nothing: none does.
  [[nodiscard]] std::optional<std::size_t> find(const Finding& finding) const;
  /// Must stacks be known to judge?
  [[nodiscard]] bool look_at_stacks() const;

 private:
  std::vector<Line> lines_;
  std::vector<std::string> without_effect_;
};

/// Does the pattern match the text, as ThreadSanitizer has it?
[[nodiscard]] bool matches_suppression(std::string_view pattern, std::string_view text);

/// Says how many races were left out by which lines: their numbers, by line.
[[nodiscard]] Finding suppressed_remark(const Suppressions& suppressions,
                                        const std::vector<std::uint64_t>& counts);

/// The detector, less what is suppressed; `suppressed` of its counts says how much that was in the
/// last run, a remark by which lines, and the last of its counts, one for each line, how many.
[[nodiscard]] std::unique_ptr<Detector> suppressing(std::unique_ptr<Detector> detector,
                                                    Suppressions suppressions);

}  // namespace orrery
