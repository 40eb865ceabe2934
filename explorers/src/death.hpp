// What to say of a run that killed its worker.
#pragma once

#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/finding.hpp>

#include "child_process.hpp"

namespace orrery::detail {

/// The outcome of a run that ended in the death of its process: a finding `crash` (a signal) or
/// `exit`.  `status` is as `waitpid` gives it; `report` is what the dying process left, if it
/// could.
[[nodiscard]] Outcome outcome_of_death(int status, const CrashReport& report);

}  // namespace orrery::detail
