// The part of the table of C functions that is about threads.
#pragma once

#include <orrery/sim_runtime/runtime_table.h>

namespace orrery::detail {

/// Fills in the fields since version 4.
void add_threads(OrreryRuntime& table);
/// Those for a thread that is alone (program_threads_alone.cpp).
void add_lone_steps(OrreryRuntime& table);

}  // namespace orrery::detail
