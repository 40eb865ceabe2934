// What to say of a run that ended its process.
#pragma once

#include <string>

#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/finding.hpp>

namespace orrery::cli {

/// The outcome of a run whose process ended: a finding `crash` (a signal) or `exit`, or the
/// wall-clock limit for one that hung.  `status` is that of `waitpid`; `task` is the name of the
/// task that ran last.
[[nodiscard]] Outcome outcome_of_death(int status, const CrashReport& report,
                                       const std::string& task);

}  // namespace orrery::cli
