// What to say of a run that ended its process.
#pragma once

#include <string>

#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/finding.hpp>

namespace orrery {

/// The outcome of a run that ended in the death of its process: a finding `crash` (a signal) or
/// `exit`, or the wall-clock limit for one that hung.  `status` is as `waitpid` gives it; `report`
/// is what the dying process left, if it could; `task` is the name of the task that ran last
/// (empty: its number, if the report has it).
[[nodiscard]] Outcome outcome_of_death(int status, const CrashReport& report,
                                       const std::string& task = {});

}  // namespace orrery
