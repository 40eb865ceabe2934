#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/fasttrack.hpp>

namespace orrery {
namespace {

constexpr std::array<DetectorKind, 1> table = {{
    {"fasttrack", "data races: accesses to one variable that nothing orders, one of them a write",
     FindingKind::data_race, make_fasttrack},
}};

}  // namespace

std::span<const DetectorKind> detectors() {
  return table;
}

const DetectorKind& detector_kind(std::string_view name) {
  const auto found = std::ranges::find(table, name, &DetectorKind::name);
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  for (const DetectorKind& kind : table) names.emplace_back(kind.name);
  throw UsageError(fmt::format("there is no detector '{}'", name), "--detect",
                   name_hint(name, names));
}

const DetectorKind* detector_of(FindingKind finding) {
  const auto found = std::ranges::find(table, finding, &DetectorKind::finds);
  return found != table.end() ? &*found : nullptr;
}

}  // namespace orrery
