// The text of a platform file: its tags and the lines where they stand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::detail {

/// A tag that opens; the views are into the text.
struct PlatformTag {
  std::string_view name;
  std::string_view text;
  std::size_t line = 0;  ///< from 1

  /// The value of an attribute; empty: it has none.
  [[nodiscard]] std::string attribute(std::string_view name) const;
};

/// No parser: SimGrid reads the file.  This is for what SimGrid lets pass, and to name lines where
/// it does not.
class PlatformText {
 public:
  explicit PlatformText(std::string text);
  PlatformText(const PlatformText&) = delete;
  PlatformText& operator=(const PlatformText&) = delete;

  [[nodiscard]] const std::vector<PlatformTag>& tags() const { return tags_; }
  /// The line of the last tag that has this value of an attribute; 0: there is none.
  [[nodiscard]] std::size_t line_of(std::string_view attribute, std::string_view value) const;
  /// The same among tags of one name.
  [[nodiscard]] std::size_t line_of(std::string_view tag, std::string_view attribute,
                                    std::string_view value) const;

 private:
  std::string text_;
  std::vector<PlatformTag> tags_;
};

/// Throws `UsageError` if there is something in it that SimGrid takes, or dies of, and that cannot
/// be meant: rates of 0, quantities without unit, no host at all.
void check_platform_text(const PlatformText& text, const std::string& path);

/// What SimGrid said before it died, as an error with a line where there is one, and advice.
[[noreturn]] void throw_platform_error(const PlatformText& text, const std::string& path,
                                       const std::string& words);

}  // namespace orrery::detail
