// The same addresses for everything in this process, each time.
#pragma once

namespace orrery::cli {

/// Sees to it that the system does not place libraries and stacks at random: where it does, this
/// same command line is begun anew, once, and the call does not return.  A program that prints an
/// address, or sorts by it, then does so in every run and replay alike.  Where the system forbids
/// it, all goes on as it was.
void fix_addresses();

/// The same for what this process becomes.  False: the system forbids it.
bool place_nothing_at_random();

}  // namespace orrery::cli
