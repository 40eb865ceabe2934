#include "task_places.hpp"

#include <cstddef>

namespace orrery::detail {

PlacedOperation TaskPlaces::of(const Alternative& next) const {
  const OperationId id = next.id;
  const Task last = id.task.value < tasks_.size() ? tasks_[id.task.value] : Task{};
  const auto [operations, reads, repeats] = last.place;
  if (id.number == last.number) return {id.task, last.place};
  if (next.kind != OperationKind::read || !last.has_read) return {id.task, {operations + 1, 0, 0}};
  if (next.object != last.object) return {id.task, {operations, reads + 1, 0}};
  return {id.task, {operations, reads, repeats + 1}};
}

PlacedOperation TaskPlaces::step(const Alternative& taken) {
  const PlacedOperation now = of(taken);
  const std::size_t task = taken.id.task.value;
  if (task >= tasks_.size()) tasks_.resize(task + 1);
  tasks_[task] = {now.place, taken.id.number, taken.kind == OperationKind::read, taken.object};
  return now;
}

}  // namespace orrery::detail
