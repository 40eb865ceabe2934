// What `explore` says of a search.
#pragma once

#include <string>

#include <orrery/explorers/report.hpp>
#include <orrery/replay_core/suppressions.hpp>

#include "console.hpp"
#include "json_report.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// For people: the counts, then each finding with its source lines, its timeline, and the command
/// that replays it.
[[nodiscard]] std::string explore_text(const Report& report, const FoundProgram& program,
                                       const Suppressions& suppressions, const Paint& paint);
/// The JSON object.
[[nodiscard]] JsonReport json_report(const Report& report, const FoundProgram& program,
                                     const Suppressions& suppressions);

}  // namespace orrery::cli
