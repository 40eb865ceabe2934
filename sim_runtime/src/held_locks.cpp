#include "held_locks.hpp"

#include <fmt/format.h>

#include "machine.hpp"
#include "place_resolver.hpp"

namespace orrery::detail {

void destroyed_while_held(Machine& machine, const SynchronizationObject& lock) {
  if (machine.is_unwinding() || machine.is_over()) return;
  std::vector<FindingPlace> places;
  for (const auto& holder : lock.holders()) {
    places.push_back(machine.place_of(holder.where, holder.task, "locked here"));
    give_back(machine.task_at(holder.task), lock);
  }
  // Called from a destructor, which must not be left: the run ends at the next operation.
  machine.record(FindingKind::leak,
                 fmt::format("{} was destroyed while held", machine.object(lock.id())),
                 std::move(places));
}

void unlocked_without_holding(Machine& machine, const SynchronizationObject& lock,
                              const SourceLocation& where) {
  const TaskId task = machine.running().id;
  std::vector<FindingPlace> places = {machine.place_of(where, task, "unlocks")};
  add_stack(places.front(), Machine::own_stack());
  for (const auto& holder : lock.holders()) {
    places.push_back(machine.place_of(holder.where, holder.task, "holds it since"));
  }
  machine.record(FindingKind::assertion,
                 fmt::format("{} unlocks {}, which it does not hold", machine.task(task),
                             machine.object(lock.id())),
                 std::move(places));
}

}  // namespace orrery::detail
