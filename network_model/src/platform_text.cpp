#include "platform_text.hpp"

#include <algorithm>

namespace orrery::detail {
namespace {

constexpr std::string_view blank = " \t\r\n";

}  // namespace

std::string PlatformTag::attribute(std::string_view wanted) const {
  for (std::size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + 1)) {
    if (at == 0 || blank.find(text[at - 1]) == std::string_view::npos) continue;
    const std::size_t equals = text.find_first_not_of(blank, at + wanted.size());
    if (equals == std::string_view::npos || text[equals] != '=') continue;
    const std::size_t open = text.find_first_not_of(blank, equals + 1);
    if (open == std::string_view::npos || (text[open] != '"' && text[open] != '\'')) continue;
    const std::size_t close = text.find(text[open], open + 1);
    if (close == std::string_view::npos) continue;
    return std::string(text.substr(open + 1, close - open - 1));
  }
  return {};
}

PlatformText::PlatformText(std::string text) : text_(std::move(text)) {
  const std::string_view all = text_;
  std::size_t line = 1;
  std::size_t counted = 0;
  for (std::size_t at = all.find('<'); at != std::string_view::npos; at = all.find('<', at)) {
    const bool is_comment = all.substr(at).starts_with("<!--");
    const std::string_view end = is_comment ? "-->" : ">";
    const std::size_t close = std::min(all.find(end, at), all.size());
    line += static_cast<std::size_t>(std::ranges::count(all.substr(counted, at - counted), '\n'));
    counted = at;
    const std::string_view tag = all.substr(at, close - at);
    at = close;
    if (is_comment || tag.starts_with("</") || tag.starts_with("<?") || tag.starts_with("<!")) {
      continue;
    }
    const std::size_t name_end = std::min(tag.find_first_of(" \t\r\n/"), tag.size());
    tags_.push_back({tag.substr(1, name_end - 1), tag, line});
  }
}

std::size_t PlatformText::line_of(std::string_view attribute, std::string_view value) const {
  std::size_t line = 0;
  for (const PlatformTag& tag : tags_) {
    if (tag.attribute(attribute) == value) line = tag.line;
  }
  return line;
}

std::size_t PlatformText::line_of(std::string_view name, std::string_view attribute,
                                  std::string_view value) const {
  std::size_t line = 0;
  for (const PlatformTag& tag : tags_) {
    if (tag.name == name && tag.attribute(attribute) == value) line = tag.line;
  }
  return line;
}

}  // namespace orrery::detail
