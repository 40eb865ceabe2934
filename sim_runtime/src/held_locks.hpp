// What all locks have in common: somebody holds them.
#pragma once

#include <orrery/sim_runtime/source_location.hpp>
#include <orrery/sim_runtime/synchronization_object.hpp>

namespace orrery::detail {

/// Strikes the lock off the list of what the task holds.
void give_back(Task& task, const SynchronizationObject& lock);
/// A finding, unless the run is being torn down.
void destroyed_while_held(Machine& machine, const SynchronizationObject& lock);
void unlocked_without_holding(Machine& machine, const SynchronizationObject& lock,
                              const SourceLocation& where);

}  // namespace orrery::detail
