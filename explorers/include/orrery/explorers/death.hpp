// Runs that end their process: what to say of one, and who gets a process of its own.
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

/// Is this process held by a debugger?  Runs then stay in it: whoever debugs wants to see them
/// there, and what kills one is for the debugger to tell.
[[nodiscard]] bool is_held_by_debugger();

}  // namespace orrery
