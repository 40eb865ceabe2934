#include "task_places.hpp"

#include <cstddef>

namespace orrery::detail {

PlacedOperation TaskPlaces::of(OperationId id, OperationKind kind) const {
  const Task last = id.task.value < tasks_.size() ? tasks_[id.task.value] : Task{};
  TaskPlace place = last.place;
  if (id.number != last.number) {
    const bool goes_on_reading = kind == OperationKind::read && last.has_read;
    place = goes_on_reading ? TaskPlace{place.operations, place.reads + 1}
                            : TaskPlace{place.operations + 1, 0};
  }
  return {id.task, place};
}

PlacedOperation TaskPlaces::step(OperationId id, OperationKind kind) {
  const PlacedOperation now = of(id, kind);
  if (id.task.value >= tasks_.size()) tasks_.resize(std::size_t{id.task.value} + 1);
  tasks_[id.task.value] = {now.place, id.number, kind == OperationKind::read};
  return now;
}

}  // namespace orrery::detail
