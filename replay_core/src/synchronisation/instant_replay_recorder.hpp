// The recorder `instant-replay`.
#pragma once

#include <memory>

#include <orrery/replay_core/recorders.hpp>

namespace orrery::detail {

/// LeBlanc and Mellor-Crummey, "Debugging parallel programs with Instant Replay" (1987): no data,
/// but for each task the versions of the objects that it meets, and at each write how many have
/// read the version that it ends.  Objects are the machine's own: locks, condition variables,
/// barriers, variables, files.  For what goes through mailboxes the send stands for the version.
std::unique_ptr<Recorder> make_instant_replay_recorder();

}  // namespace orrery::detail
