// One rank goes on by itself, and all others stand still where they are.
#include <limits>

#include <orrery/sim_runtime/outside.hpp>

#include "machine.hpp"

namespace orrery::detail {

void Machine::go_on_alone(std::int32_t rank, Outside& outside, Chooser& chooser,
                          std::span<Observer* const> observers) {
  outside_ = &outside;
  lone_process_ = process_of_rank(rank).id;
  // What limited the run has been kept to by it; steps of other tasks are remembered no more.
  options_.step_limit = ring_start_ = std::numeric_limits<std::uint64_t>::max();
  last_date_ = VirtualTime::never();
  progress_ = nullptr;
  should_pause_ = nullptr;
  restart_wall_limit();
  attach(chooser, observers);
  agenda_.set_chooser(constraint_);
  for (std::size_t i = 0; i < tasks_used_; ++i) {
    Task& task = tasks_[i];
    for (Actor* const actor : {&task.operation_actor, &task.deadline_actor}) {
      if (actor->place == Actor::Place::nowhere) continue;
      agenda_.remove(*actor);
      if (!is_withheld(task)) agenda_.add(*actor, actor->date);  // the new chooser may withhold it
    }
    if (is_withheld(task) && !task.has_ended()) task.state = TaskState::disabled;
  }
  std::erase_if(pollers_, [this](const Task* task) { return is_withheld(*task); });
  messages_->part_from_others(rank);
  attention_step_ = 0;
}

bool Machine::bring_messages_in() {
  if (outside_ == nullptr) return false;
  const std::vector<OutsideMessage> brought = outside_->wait_for_messages();
  restart_wall_limit();  // others had it
  for (const OutsideMessage& message : brought) messages_->bring_in(message);
  return !brought.empty();
}

// The numbers in between are those of other ranks' tasks.
void Machine::pass_over_tasks() {
  const std::optional<TaskId> next = outside_->next_task();
  while (next && tasks_used_ < next->value) {
    if (tasks_used_ == tasks_.size()) tasks_.emplace_back();
    Task& other = tasks_[tasks_used_];
    other.id = TaskId{static_cast<std::uint32_t>(tasks_used_++)};
    other.state = TaskState::ended;
    other.waits_on = nullptr;
    other.fiber = nullptr;
    other.is_helper = false;
    other.access_words = 0;
    other.process = {};
    other.pending = &other.own_operation;
    other.operation_actor.place = other.deadline_actor.place = Actor::Place::nowhere;
  }
}

}  // namespace orrery::detail

namespace orrery {

void go_on_alone(std::int32_t rank, Outside& outside, Chooser& chooser,
                 std::span<Observer* const> observers) {
  detail::Machine::current()->go_on_alone(rank, outside, chooser, observers);
}

}  // namespace orrery
