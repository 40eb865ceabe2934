// Schedules of runs whose logs have none.
#pragma once

#include <string>

#include <orrery/replay_core/saved_run.hpp>

#include "program_lookup.hpp"

namespace orrery::cli {

/// Makes the log of a method that follows messages one of `choices`: replays it quietly, in any
/// order that causality allows, and takes the schedule, and the findings, of that.  Leaves others
/// as they are.  Throws `UsageError` if the program parts from its log, or does what no schedule
/// has (see `NaturalOrder`) in all orders that were tried; `path` names it.
void give_schedule(SavedRun& saved, FoundProgram& program, const std::string& path);

}  // namespace orrery::cli
