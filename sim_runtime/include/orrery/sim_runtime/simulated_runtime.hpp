// The machine behind the table of C functions.
#pragma once

#include <orrery/sim_runtime/runtime_table.h>

namespace orrery {

/// The table that front ends get in simulation.  Its functions act for the task that the calling
/// thread is running, and must not be called when there is none.
[[nodiscard]] const OrreryRuntime& simulated_runtime();

}  // namespace orrery
