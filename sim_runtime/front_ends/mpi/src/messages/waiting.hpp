// What ranks wait for that cannot go on.
#pragma once

#include <orrery/sim_runtime/runtime_table.h>

namespace orrery::mpi {

/// Says what only the library knows of a wait: for the report of a deadlock.
void tell_of_wait(OrreryWait* wait);

}  // namespace orrery::mpi
