#include "finding_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace orrery::cli {
namespace {

std::string line_text(const FindingPlace& place, const Paint& paint, SourceLines& sources) {
  if (place.file.empty() && place.function.empty()) return {};
  if (place.file.empty()) return fmt::format("    in {}\n", paint.cyan(place.function));
  std::string at = place.file;
  if (place.line != 0) at += fmt::format(":{}", place.line);
  const std::string inside = place.function.empty() ? "" : " in " + place.function;
  std::string text = fmt::format("    at {}{}\n", paint.cyan(at), inside);
  if (const auto line = sources.line(place.file, place.line)) {
    text += fmt::format("      {} {}\n", paint.faint(fmt::format("{:>4} |", place.line)), *line);
  }
  return text;
}

/// `holds mutex m (since app.c:12) and mutex n`.
std::string locks_text(const std::vector<HeldLock>& locks) {
  std::string text;
  for (const HeldLock& one : locks) {
    text += text.empty() ? "holds " : " and ";
    text += one.lock;
    if (!one.file.empty()) text += fmt::format(" (since {}:{})", one.file, one.line);
  }
  return text.empty() ? "holds no lock" : text;
}

/// Among others, as people are told of them.
enum class Standing : std::uint8_t { told, unconfirmed, untried };

Standing standing_among(std::span<const Finding> all, const Finding& finding) {
  if (finding.confirmation == Confirmation::unconfirmed) return Standing::unconfirmed;
  const bool is_open =
      finding.kind == FindingKind::data_race && finding.confirmation == Confirmation::none;
  const bool is_untried = is_open && std::ranges::any_of(all, [](const Finding& other) {
                            return other.confirmation != Confirmation::none;
                          });
  return is_untried ? Standing::untried : Standing::told;
}

/// `2 of them not tried`; empty: all of them were.
std::string share_text(std::span<const Finding> findings, Standing which, std::string_view done) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(
      findings, [&](const Finding& one) { return standing_among(findings, one) == which; }));
  if (count == 0) return {};
  if (findings.size() == 1) return fmt::format("not {}", done);
  if (count == findings.size()) return fmt::format("none of them {}", done);
  return fmt::format("{} of them not {}", count, done);
}

}  // namespace

std::string place_text(const FindingPlace& place, const Paint& paint, SourceLines& sources) {
  std::string who = paint.bold(place.task);
  if (!place.role.empty()) who += (who.empty() ? "" : " ") + place.role;
  std::string text;
  if (!who.empty()) text += "  " + who + "\n";
  text += line_text(place, paint, sources);
  for (const std::string& caller : callers(place)) text += fmt::format("    {}\n", caller);
  if (place.locks) text += fmt::format("    {}\n", locks_text(*place.locks));
  return text;
}

std::string finding_text(const Finding& finding, const Paint& paint, SourceLines& sources) {
  std::string text =
      fmt::format("{}: {}\n", paint.red(finding.title()), paint.bold(finding.message));
  for (const FindingPlace& place : finding.where) text += place_text(place, paint, sources);
  for (const std::string& note : finding.notes) text += fmt::format("  {}\n", note);
  if (finding.confirmation == Confirmation::confirmed) {
    text += "  confirmed: in a run that was tried both accesses were the next ones\n";
  } else if (finding.confirmation == Confirmation::unconfirmed) {
    text +=
        paint.yellow("  not confirmed") + ": no run was found in which both accesses are next\n";
  }
  return text;
}

std::string findings_text(std::span<const Finding> findings, const Paint& paint,
                          SourceLines& sources) {
  std::string text;
  for (const Standing wanted : {Standing::told, Standing::unconfirmed, Standing::untried}) {
    for (const Finding& finding : findings) {
      if (standing_among(findings, finding) != wanted) continue;
      if (!text.empty()) text += "\n";
      text += finding_text(finding, paint, sources);
    }
  }
  return text;
}

std::string unconfirmed_text(std::span<const Finding> findings) {
  std::string text = share_text(findings, Standing::unconfirmed, "confirmed");
  const std::string untried = share_text(findings, Standing::untried, "tried");
  if (text.empty() && untried.empty()) return {};
  text += (text.empty() || untried.empty() ? "" : ", ") + untried;
  return fmt::format("status {}: {}, {}\n", status_finding,
                     counted(findings.size(), "finding", "findings"), text);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string limit_text(Limit limit) {
  switch (limit) {
    case Limit::steps: return "stopped at the limit on steps (--step-limit)";
    case Limit::virtual_time: return "stopped at the limit on virtual time (--virtual-limit)";
    case Limit::wall_time: return "stopped at the limit on real time (--wall-limit)";
    case Limit::none: break;
  }
  return "stopped";
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
    } else {
      result += letter;
    }
  }
  return result + "'";
}

std::string indented(std::string_view block, std::string_view indent) {
  std::string result;
  while (!block.empty()) {
    const std::size_t end = std::min(block.find('\n'), block.size());
    result.append(indent).append(block.substr(0, end)).append("\n");
    block.remove_prefix(std::min(end + 1, block.size()));
  }
  return result;
}

std::string saved_text(const std::string& path, const std::string& command, const Paint& paint) {
  return fmt::format("saved: {}\nreplay it: {}\n", path, paint.bold(command));
}

std::string other_log_text(const std::string& path) {
  return "with the other message: orrery replay " + shell_word(path) + "\n";
}

}  // namespace orrery::cli
