// The messages of a recorded run that could have come the other way round.
#pragma once

#include <string>

#include "json_report.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// Makes the run again and lists its races, each an object: `number` (from 1 on, the same in every
/// replay), `receive`, `got` and `other`, each with `task`, `operation`, `call`, `file`, `line` and
/// `function`; the messages also with `source`, `tag` and `bytes`; and `bend`, a line for
/// `replay --order`.  Throws `UsageError` as `run_again` does.
[[nodiscard]] Json races_of(const FoundProgram& program, SavedRun& run, const std::string& path);

/// The list for people, a line a race.
[[nodiscard]] std::string races_text(const Json& races);

}  // namespace orrery::cli
