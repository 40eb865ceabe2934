// What all locks have in common: somebody holds them.
#pragma once

#include <algorithm>
#include <iterator>

#include <orrery/sim_runtime/source_location.hpp>
#include <orrery/sim_runtime/synchronization_object.hpp>

#include "task.hpp"

namespace orrery::detail {

/// Strikes the lock off the list of what the task holds.
inline void give_back(Task& task, const SynchronizationObject& lock) {
  auto& held = task.held;
  if (!held.empty() && held.back() == &lock) return held.pop_back();  // mostly
  const auto found = std::find(held.rbegin(), held.rend(), &lock);
  if (found != held.rend()) held.erase(std::next(found).base());
}
/// A finding, unless the run is being torn down.
void destroyed_while_held(Machine& machine, const SynchronizationObject& lock);
void unlocked_without_holding(Machine& machine, const SynchronizationObject& lock,
                              const SourceLocation& where);

}  // namespace orrery::detail
