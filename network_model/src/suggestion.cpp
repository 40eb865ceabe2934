#include <algorithm>

#include <orrery/network_model/suggestion.hpp>

namespace orrery {
namespace {

// ASCII only, so that the locale has no say.
constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool begins_with(std::string_view name, std::string_view start) {
  return name.size() >= start.size() &&
         std::equal(start.begin(), start.end(), name.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i holds the distances between the first i letters of `a` and all beginnings of `b`.
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last.back();
}

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string* nearest = nullptr;
  std::size_t least = 0;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name);
    const std::size_t most = std::max<std::size_t>(1, std::max(wanted.size(), name.size()) / 3);
    // A name that shares no letter with what was written is not near, however short it is.
    if (distance > most || distance >= std::max(wanted.size(), name.size())) continue;
    if (nearest == nullptr || distance < least) {
      nearest = &name;
      least = distance;
    }
  }
  if (nearest != nullptr) return *nearest;
  if (wanted.empty()) return {};
  const auto longer = std::find_if(names.begin(), names.end(), [wanted](const std::string& name) {
    return begins_with(name, wanted);
  });
  return longer == names.end() ? std::string() : *longer;
}

std::string name_hint(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(wanted, names);
  if (!nearest.empty()) return "did you mean '" + nearest + "'?";
  if (names.empty()) return "there are none yet";
  std::string text = "one of: ";
  for (const std::string& name : names) {
    if (&name != &names.front()) text += ", ";
    text += name;
  }
  return text;
}

}  // namespace orrery
