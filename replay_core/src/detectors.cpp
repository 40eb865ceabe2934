#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/fasttrack.hpp>

#include "message_race_detector.hpp"

namespace orrery {
namespace {

std::unique_ptr<Detector> make_fasttrack_of(const NameWithOptions& options) {
  options.allow_no_count();
  options.allow_keys({});
  return make_fasttrack();
}

constexpr std::array<DetectorKind, 2> table = {{
    {"fasttrack", "data races: accesses to one variable that nothing orders, one of them a write",
     FindingKind::data_race, make_fasttrack_of},
    {"message_race",
     "messages that one receive could each have taken, where that makes a difference; reruns=N "
     "(40): at most so many further runs a run; compare=output: as far as people see it",
     FindingKind::message_race, make_message_race_detector},
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

std::unique_ptr<Detector> make_detector(std::string_view text) {
  const NameWithOptions options = NameWithOptions::parse(text, "--detect");
  return detector_kind(options.name()).make(options);
}

const DetectorKind* detector_of(FindingKind finding) {
  const auto found = std::ranges::find(table, finding, &DetectorKind::finds);
  return found != table.end() ? &*found : nullptr;
}

}  // namespace orrery
