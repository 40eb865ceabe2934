// Logs that leave open which write a read has read from.
#pragma once

#include <orrery/replay_core/saved_run.hpp>

#include "json_report.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// Where the run's method leaves that open, does the run once, quietly, to find it out; then `run`
/// is one of the method `leap`.  Where it cannot be found out the run stays as it is: its own
/// replay says why.  Returns what was counted, null where there was nothing to find out.
Json infer_orders(SavedRun& run, const FoundProgram& program);

}  // namespace orrery::cli
