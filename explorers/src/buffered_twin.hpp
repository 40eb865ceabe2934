// Whether a deadlock is there with buffers too.
#pragma once

#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/report.hpp>

namespace orrery::detail {

/// A deadlock that depends on buffering, in the run where it was found, may come all the same where
/// sends are buffered, only later: it is that one which a user must know of.  And one that is
/// certain is easier to follow where fewer ranks wait.  Does the found run over without its draws,
/// and the undisturbed run; if one of them ends in a deadlock that is certain, that takes the place
/// of what was found.
void prefer_certain_deadlock(const ExploreOptions& options, const Program& program,
                             const SimulationOptions& machine, FoundRun& found);

}  // namespace orrery::detail
