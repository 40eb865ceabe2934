// The part of the table of C functions that is about memory which operations have.
#pragma once

#include <orrery/sim_runtime/runtime_table.h>

namespace orrery::detail {

/// Fills in `wants_loans` and what goes with it (machine_loans.cpp).
void add_loans(OrreryRuntime& table);

}  // namespace orrery::detail
