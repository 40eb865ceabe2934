// Stacks at the same addresses for a machine that does another machine's runs again.
#pragma once

namespace orrery {

/// For a forked process that will not use the last `Simulation` of the calling thread any more: a
/// new one with stacks of the same size gives tasks the very stacks that they had there, so that
/// local variables lie at the same addresses.
void take_over_stacks();

}  // namespace orrery
