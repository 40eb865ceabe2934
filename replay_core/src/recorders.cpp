#include "recorders.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "choices_recorder.hpp"

namespace orrery {
namespace {

constexpr std::array<RecorderKind, 1> table = {{
    {"choices", "every step and every answer of a simulated run; replays on any network",
     BlockKind::choices, detail::make_choices_recorder},
}};

}  // namespace

std::span<const RecorderKind> recorders() {
  return table;
}

const RecorderKind& recorder_kind(std::string_view name) {
  const auto found = std::ranges::find(table, name, &RecorderKind::name);
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  for (const RecorderKind& kind : table) names.emplace_back(kind.name);
  throw UsageError(fmt::format("there is no recorder '{}'", name), "--method",
                   name_hint(name, names));
}

}  // namespace orrery
