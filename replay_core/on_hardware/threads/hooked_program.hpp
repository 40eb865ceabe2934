// Atomics and accesses to memory of programs that `orrery cc` has built.
#pragma once

namespace orrery::on_hardware {

/// Has the atomics of the images that are loaded come to us, and the accesses of those that tell of
/// them.  False: none of them calls for any, so atomics are instructions that nobody sees.
bool attach_hooks();
/// Does another image than the program's call for them?
bool has_hooks_in_libraries();

}  // namespace orrery::on_hardware
