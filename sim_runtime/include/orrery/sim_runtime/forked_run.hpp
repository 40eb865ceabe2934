// For processes that were forked in the midst of a run.
#pragma once

namespace orrery {

/// The limit on the wall's clock of the run that goes on in this thread counts from now: what was
/// before the fork is not this process's.  No effect where no run is going on.
void restart_wall_limit();

}  // namespace orrery
