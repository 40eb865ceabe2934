#include "expected_output.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace orrery::detail {
namespace {

constexpr std::size_t shown_bytes_max = 200;

/// Takes the next line off `text`, without its end; nothing at the end of the text.
std::optional<std::string_view> next_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string quoted(std::string_view line) {
  if (line.size() <= shown_bytes_max) return fmt::format("'{}'", line);
  return fmt::format("'{}...'", line.substr(0, shown_bytes_max));
}

}  // namespace

std::string first_difference(std::string_view expected, std::string_view written) {
  if (expected == written) return {};
  for (std::size_t number = 1;; ++number) {
    const auto wanted = next_line(expected);
    const auto found = next_line(written);
    if (!wanted && !found) return "the output lacks the end of its last line, or has one too many";
    if (wanted == found) continue;
    if (!found) {
      return fmt::format("line {} of the output is missing: it should be {}", number,
                         quoted(*wanted));
    }
    if (!wanted) {
      return fmt::format("line {} of the output is too much: it is {}", number, quoted(*found));
    }
    return fmt::format("line {} of the output is {}, and should be {}", number, quoted(*found),
                       quoted(*wanted));
  }
}

}  // namespace orrery::detail
