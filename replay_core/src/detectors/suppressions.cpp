#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/suppressions.hpp>

#include "library_races.hpp"

namespace orrery {
namespace {

using SuppressionKind = Suppressions::Kind;

constexpr std::array<std::pair<std::string_view, SuppressionKind>, 3> suppression_kinds{
    {{"race", SuppressionKind::race},
     {"race_top", SuppressionKind::race_top},
     {"called_from_lib", SuppressionKind::called_from_lib}}};
/// ThreadSanitizer's, of what is not found by detectors here.
constexpr std::array<std::string_view, 4> kinds_without_effect{"deadlock", "mutex", "signal",
                                                               "thread"};

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// `counter` of `nothing orders two accesses to counter (4 bytes)`; empty where it has no name.
std::string_view raced_variable(std::string_view message) {
  for (const std::string_view before : {"accesses to ", "access to "}) {
    const std::size_t at = message.find(before);
    if (at == std::string_view::npos) continue;
    std::string_view name = message.substr(at + before.size());
    constexpr std::string_view of_the_api = "variable ";
    if (name.starts_with(of_the_api)) name.remove_prefix(of_the_api.size());
    name = name.substr(0, name.find_first_of(" :"));
    return name == "memory" ? std::string_view() : name;
  }
  return {};
}

[[noreturn]] void refuse_line(std::string problem, std::string_view where, std::uint32_t line) {
  throw UsageError(
      std::move(problem), fmt::format("{}:{}", where, line),
      "write race:PATTERN, race_top:PATTERN or called_from_lib:PATTERN on a line, or a "
      "comment behind #");
}

}  // namespace

bool matches_suppression(std::string_view pattern, std::string_view text) {
  bool is_anchored = pattern.starts_with('^');
  if (is_anchored) pattern.remove_prefix(1);
  const bool is_to_end = pattern.ends_with('$');
  if (is_to_end) pattern.remove_suffix(1);
  // The pieces between the stars, one behind the other; each as early as possible, which leaves the
  // most for the rest.
  for (std::size_t star = pattern.find('*'); star != std::string_view::npos;
       star = pattern.find('*')) {
    const std::string_view piece = pattern.substr(0, star);
    const std::size_t at = text.find(piece);
    if (at == std::string_view::npos || (is_anchored && at != 0)) return false;
    text.remove_prefix(at + piece.size());
    pattern.remove_prefix(star + 1);
    is_anchored = false;
  }
  if (is_anchored && is_to_end) return text == pattern;
  if (is_anchored) return text.starts_with(pattern);
  return is_to_end ? text.ends_with(pattern) : text.find(pattern) != std::string_view::npos;
}

std::string Suppressions::Line::text() const {
  const auto found = std::ranges::find(suppression_kinds, kind,
                                       &std::pair<std::string_view, SuppressionKind>::second);
  return fmt::format("{}:{}", found->first, pattern);
}

Suppressions Suppressions::parse(std::string_view text, std::string_view where) {
  Suppressions result;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    if (line.find('\0') != std::string_view::npos) refuse_line("this is no text", where, number);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      refuse_line(fmt::format("'{}' has no colon", line), where, number);
    }
    const std::string_view name = line.substr(0, colon);
    const std::string_view pattern = line.substr(colon + 1);
    if (std::ranges::find(kinds_without_effect, name) != kinds_without_effect.end()) {
      result.without_effect_.push_back(fmt::format("line {}: {}", number, line));
      continue;
    }
    const auto kind = std::ranges::find(suppression_kinds, name,
                                        &std::pair<std::string_view, SuppressionKind>::first);
    if (kind == suppression_kinds.end()) {
      refuse_line(fmt::format("there is no kind of suppression '{}'", name), where, number);
    }
    if (pattern.find_first_not_of("*^$") == std::string_view::npos) {
      refuse_line(fmt::format("'{}' would suppress everything", line), where, number);
    }
    result.lines_.push_back({kind->second, std::string(pattern), number});
  }
  return result;
}

Suppressions Suppressions::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || text.fail()) {
    throw UsageError(fmt::format("cannot be read: {}", std::strerror(errno)), path,
                     "give --suppressions a file");
  }
  return parse(text.str(), path);
}

bool Suppressions::look_at_stacks() const {
  return std::ranges::any_of(lines_,
                             [](const Line& one) { return one.kind != SuppressionKind::race_top; });
}

std::optional<std::size_t> Suppressions::find(const Finding& finding) const {
  if (finding.kind != FindingKind::data_race) return std::nullopt;
  const auto fits_frame = [](const Line& line, const auto& frame) {
    return matches_suppression(line.pattern, frame.function) ||
           matches_suppression(line.pattern, frame.file);
  };
  const auto fits_place = [&](const Line& line, const FindingPlace& place) {
    if (line.kind == SuppressionKind::called_from_lib) {
      // Of a library's functions only the file is known, where they have no lines.
      return std::ranges::any_of(place.stack, [&](const SourceFrame& frame) {
        return frame.file.empty() && matches_suppression(line.pattern, frame.function);
      });
    }
    if (fits_frame(line, place)) return true;
    return line.kind == SuppressionKind::race &&
           std::ranges::any_of(place.stack,
                               [&](const auto& frame) { return fits_frame(line, frame); });
  };
  const std::string_view variable = raced_variable(finding.message);
  const auto fits_variable = [&](const Line& line) {
    return line.kind == SuppressionKind::race && !variable.empty() &&
           matches_suppression(line.pattern, variable);
  };
  const auto fits_library = [&](const Line& line) {
    return line.kind != SuppressionKind::called_from_lib &&
           std::ranges::any_of(finding.notes, [&](const std::string& note) {
             const std::string_view function = detail::function_in_library_note(note);
             return !function.empty() && matches_suppression(line.pattern, function);
           });
  };
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Line& line = lines_[i];
    const bool fits = std::ranges::any_of(finding.where,
                                          [&](const auto& one) { return fits_place(line, one); }) ||
                      fits_variable(line) || fits_library(line);
    if (fits) return i;
  }
  return std::nullopt;
}

}  // namespace orrery
