// What a detector finds in a run that dies.
#pragma once

#include <orrery/replay_core/detectors.hpp>

#include "isolated_run.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// A run that has died left no time to look at it: does it again up to its last step, where the
/// detector, if there is one, looks at it as `conclude_watching` says.  What it finds stands in
/// `died` then, behind the death, in place of what was known in that moment.  `run` is how it was
/// done; `following`, which may be null, has to see it for that.
void look_at_death(Detector* detector, const FoundProgram& program, const IsolatedRun& run,
                   Observer* following, IsolatedResult& died);

}  // namespace orrery::cli
