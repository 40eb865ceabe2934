#include "event_clocks.hpp"

namespace orrery::detail {

void EventClocks::clear() {
  order_.clear();
  lives_.clear();
}

EventClocks::Life& EventClocks::life(std::uint32_t task) {
  if (task >= lives_.size()) lives_.resize(std::size_t{task} + 1);
  return lives_[task];
}

// Stretches that ended since, perhaps by what others did: the task had done this much.
void EventClocks::close_stretches(TaskId task) {
  Life& self = life(task.value);
  self.at_end.resize(order_.now(task).clock, self.operations);
}

std::uint32_t EventClocks::operations_in(std::uint32_t task, std::uint32_t clock) {
  if (clock == 0) return 0;
  const Life& other = life(task);
  return clock < other.at_end.size() ? other.at_end[clock] : other.operations;
}

void EventClocks::on_task(TaskId task, std::span<const TaskId> predecessors) {
  order_.begin_task(task, predecessors);
  life(task.value);
}

void EventClocks::on_event(const Event& event, std::uint32_t operation, bool is_new,
                           std::vector<GraphKnowledge>& changes) {
  const TaskId task = event.id.task;
  close_stretches(task);
  if (is_new) ++life(task.value).operations;
  order_.apply(event);
  close_stretches(task);
  const VectorClock& clock = order_.clock(task);
  const auto count = static_cast<std::uint32_t>(lives_.size());
  std::vector<std::uint32_t>& known = life(task.value).known;
  known.resize(count);
  for (std::uint32_t other = 0; other < count; ++other) {
    if (other == task.value) continue;
    const std::uint32_t operations = operations_in(other, clock.of(other));
    if (operations <= known[other]) continue;
    known[other] = operations;
    changes.push_back({operation, other, operations});
  }
}

}  // namespace orrery::detail
