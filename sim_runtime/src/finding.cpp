#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <orrery/sim_runtime/finding.hpp>

namespace orrery {
namespace {

constexpr std::array<std::string_view, 12> finding_names = {
    "assertion", "exception",    "crash",     "exit", "deadlock",   "livelock",
    "data_race", "message_race", "mpi_usage", "leak", "divergence", "property"};

// Where a finding is: its first place; of a deadlock, livelock or data race all places, in any
// order; of a message race the receive and the two sends, not what came of it.
std::vector<std::pair<std::string, std::uint32_t>> identity(const Finding& finding) {
  std::vector<std::pair<std::string, std::uint32_t>> lines;
  const bool takes_all =
      finding.kind == FindingKind::deadlock || finding.kind == FindingKind::livelock ||
      finding.kind == FindingKind::data_race || finding.kind == FindingKind::message_race;
  constexpr std::size_t message_race_places = 3;
  for (const auto& place : finding.where) {
    if (finding.kind == FindingKind::message_race && lines.size() == message_race_places) break;
    // What has no line is told apart by its function (`app+0x1234` in a stripped program).
    lines.emplace_back(place.file.empty() ? place.function : place.file, place.line);
    if (!takes_all) break;
  }
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

void add(std::uint64_t& hash, std::string_view text) {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  hash = (hash ^ 0xffU) * 0x100000001b3U;
}

}  // namespace

std::string_view name(FindingKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < finding_names.size() ? finding_names[index] : "unknown";
}

std::optional<FindingKind> finding_kind(std::string_view name) {
  const auto found = std::ranges::find(finding_names, name);
  if (found == finding_names.end()) return std::nullopt;
  return static_cast<FindingKind>(found - finding_names.begin());
}

FindingTitle FindingTitle::parse(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  FindingTitle title;
  title.kind = finding_kind(text.substr(0, slash)).value_or(FindingKind::property);
  if (slash < text.size()) title.class_name = text.substr(slash + 1);
  return title;
}

std::string_view name(Limit limit) {
  constexpr std::array<std::string_view, 4> names = {"none", "steps", "virtual time", "wall time"};
  return names[static_cast<std::size_t>(limit)];
}

std::string_view name(Outcome::Status status) {
  constexpr std::array<std::string_view, 4> names = {"clean", "finding", "limit", "abandoned"};
  return names[static_cast<std::size_t>(status)];
}

std::vector<std::string> callers(const FindingPlace& place) {
  constexpr std::size_t lines_max = 5;
  const auto& stack = place.stack;
  // The place itself has been said, and what it has called is a library of the program's.
  auto next = std::ranges::find(stack, place.line, &SourceFrame::line);
  next = next == stack.end() ? stack.begin() : next + 1;
  std::vector<std::string> lines;
  for (; next != stack.end() && lines.size() < lines_max; ++next) {
    if (next->file.empty()) {
      lines.push_back(fmt::format("called from {}", next->function));
    } else {
      lines.push_back(
          fmt::format("called from {}:{} in {}", next->file, next->line, next->function));
    }
  }
  if (next != stack.end()) {
    lines.push_back(fmt::format("and {} more calls", stack.end() - next));
  }
  return lines;
}

std::string Finding::title() const {
  if (class_name.empty()) return std::string(name(kind));
  return fmt::format("{} ({})", name(kind), class_name);
}

bool Finding::is_same_as(const Finding& other) const {
  const bool fits =
      class_name.empty() || other.class_name.empty() || class_name == other.class_name;
  return kind == other.kind && fits && identity(*this) == identity(other);
}

std::uint64_t Finding::key() const {
  std::uint64_t hash = 0xcbf29ce484222325U;
  add(hash, name(kind));
  if (!class_name.empty()) add(hash, class_name);
  for (const auto& [file, line] : identity(*this)) {
    add(hash, file);
    add(hash, std::to_string(line));
  }
  // A finding without a place is told from others by its words.
  if (where.empty()) add(hash, message);
  return hash;
}

}  // namespace orrery

[[gnu::noinline]] void orrery_finding(const char* kind, const char* message) {
  asm volatile("" : : "r"(kind), "r"(message) : "memory");  // else callers would leave it out
}
