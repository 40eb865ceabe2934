// Runs that end their process: what to say of one, and who gets a process of its own.
#pragma once

#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/finding.hpp>

namespace orrery {

/// The outcome of a run that ended in the death of its process: a finding `crash` (a signal) or
/// `exit`, with what the dying process had found besides, or the wall-clock limit for one that
/// hung.  `status` is as `waitpid` gives it; `report` is what the dying process left, if it could;
/// `ran_last` is whom it is taken to have run otherwise.
[[nodiscard]] Outcome outcome_of_death(int status, const CrashReport& report,
                                       const TaskLabel& ran_last = {});

/// Is this process held by a debugger?  Runs then stay in it: whoever debugs wants to see them
/// there, and what kills one is for the debugger to tell.
[[nodiscard]] bool is_held_by_debugger();

}  // namespace orrery
