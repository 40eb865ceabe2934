// The part of the table of C functions that is about threads.
#pragma once

#include <orrery/sim_runtime/runtime_table.h>

namespace orrery::detail {

/// Fills in the fields since version 4.
void add_threads(OrreryRuntime& table);

}  // namespace orrery::detail
