#include "recorders.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "messages/racing_recorder.hpp"
#include "messages/racing_replayer.hpp"
#include "messages/source_recorder.hpp"
#include "messages/source_replayer.hpp"
#include "schedules/choices_recorder.hpp"

namespace orrery {
namespace {

constexpr std::array<RecorderKind, 6> table = {{
    {schedule_method, "every step and every answer of a simulated run; replays on any network",
     detail::make_choices_recorder, detail::make_choices_replayer},
    {contents_method, "what each message held, so that one rank can be replayed alone",
     detail::make_wildcards_recorder, detail::make_wildcards_replayer},
    {"orders", "who sent what each receive took, and what open calls came to",
     detail::make_orders_recorder, detail::make_orders_replayer},
    {"wildcards", "the same of receives that name no sender; real runs are recorded so",
     detail::make_wildcards_recorder, detail::make_wildcards_replayer},
    {"racing-messages", "one message of each pair that races, by Zeng's Algorithm 1",
     detail::make_racing_recorder, detail::make_racing_replayer},
    {"racing-messages-tight", "the same where an earlier receive could have taken the message",
     detail::make_tight_racing_recorder, detail::make_racing_replayer},
}};

}  // namespace

std::span<const RecorderKind> recorders() {
  return table;
}

bool is_kept_in_intervals(std::string_view method) {
  return method == "wildcards" || method == contents_method;
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
