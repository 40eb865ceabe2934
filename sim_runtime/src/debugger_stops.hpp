// Where a debugger wants a run to stop.
#pragma once

#include <orrery/sim_runtime/debugger.h>

namespace orrery::detail {

class Machine;

/// A debugger has said, before the run, that it will ask: then no operation is left unseen.
[[nodiscard]] inline bool is_debugged() {
  return __builtin_expect(orrery_debugger_control.is_on, 0) != 0;
}

/// The running task is about to begin an operation, of which nothing has happened.  May be said
/// again of the same one.
void tell_debugger(Machine& machine);

}  // namespace orrery::detail
