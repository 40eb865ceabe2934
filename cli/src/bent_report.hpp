// How a bent run differs from the recorded one.
#pragma once

#include <string>
#include <vector>

#include <orrery/replay_core/bent_runs.hpp>
#include <orrery/replay_core/run_story.hpp>

#include "json_report.hpp"

namespace orrery::cli {

/// What the bends of a run are about, for people: an object for each.
[[nodiscard]] Json bends_json(const std::vector<Bend>& bends, const BendPlanner& planner);

/// The object `stats.bent`.
[[nodiscard]] Json to_json(const StoryDifference& difference);
/// The same for people, in lines; `bent` is that object, with `bends`, `steps_followed` and `was`.
[[nodiscard]] std::string bent_text(const Json& bent);

}  // namespace orrery::cli
