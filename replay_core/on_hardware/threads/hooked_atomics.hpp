// Atomics of programs that `orrery cc` has built.
#pragma once

namespace orrery::on_hardware {

/// Has the atomics of the images that are loaded come to us.  False: none of them calls for any, so
/// atomics are instructions that nobody sees.
bool attach_atomics();

}  // namespace orrery::on_hardware
