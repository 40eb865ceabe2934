#include "settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

namespace orrery::openmp {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char letter) { return letter == ' ' || letter == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<int> positive(std::string_view text) {
  text = trimmed(text);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

bool is_true(std::string_view text) {
  text = trimmed(text);
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return lower == "true";
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<int> thread_counts(std::string_view list) {
  std::vector<int> counts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const auto count = positive(list.substr(0, end));
    if (!count) return {};
    counts.push_back(*count);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return counts;
}

struct Name {
  std::string_view text;
  Schedule schedule;
};
constexpr std::array names = {Name{"static", Schedule::fixed}, Name{"dynamic", Schedule::dynamic},
                              Name{"guided", Schedule::guided}, Name{"auto", Schedule::automatic}};

}  // namespace

bool read_schedule(std::string_view text, Settings& settings) {
  std::string lower(trimmed(text));
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  std::string_view rest = lower;
  for (const std::string_view modifier : {"monotonic", "nonmonotonic"}) {
    if (!rest.starts_with(modifier)) continue;
    rest = trimmed(rest.substr(modifier.size()));
    if (!rest.starts_with(':')) return false;
    rest = trimmed(rest.substr(1));
  }
  const std::size_t comma = std::min(rest.find(','), rest.size());
  const auto found = std::ranges::find(names, trimmed(rest.substr(0, comma)), &Name::text);
  if (found == names.end()) return false;
  int chunk = found->schedule == Schedule::fixed ? 0 : 1;
  if (comma != rest.size()) {
    const auto given = positive(rest.substr(comma + 1));
    if (!given) return false;
    chunk = *given;
  }
  settings.schedule = found->schedule;
  settings.chunk = chunk;
  return true;
}

Environment read_environment() {
  Environment environment;
  Settings& settings = environment.settings;
  settings.thread_count = host::own_processor_count();
  environment.thread_counts = thread_counts(variable("OMP_NUM_THREADS"));
  if (!environment.thread_counts.empty()) {
    settings.thread_count = environment.thread_counts.front();
    if (environment.thread_counts.size() > 1) settings.active_levels_max = INT_MAX;
  }
  read_schedule(variable("OMP_SCHEDULE"), settings);
  settings.is_dynamic = is_true(variable("OMP_DYNAMIC"));
  if (is_true(variable("OMP_NESTED"))) settings.active_levels_max = INT_MAX;
  if (const auto levels = positive(variable("OMP_MAX_ACTIVE_LEVELS"))) {
    settings.active_levels_max = *levels;
  }
  if (const auto limit = positive(variable("OMP_THREAD_LIMIT"))) settings.thread_limit = *limit;
  return environment;
}

}  // namespace orrery::openmp
