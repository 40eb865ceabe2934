#include "unasked_preemptions.hpp"

#include <utility>

namespace orrery::detail {

void UnaskedPreemptions::on_step(const Alternative& taken) {
  const bool was_asked = std::exchange(was_asked_, false);
  if (is_machine_step(taken.kind)) return;
  const bool is_switch = last_ && last_->task != taken.id.task;
  if (is_switch && !was_asked && last_could_go_on()) ++count_;
  last_ = taken.id;
}

bool UnaskedPreemptions::last_could_go_on() const {
  if (pending_->state(last_->task) != TaskState::enabled) return false;
  const bool is_asleep = pending_->operation(last_->task).kind == OperationKind::condition_wait &&
                         pending_->id(last_->task) == *last_;
  return !is_asleep;
}

}  // namespace orrery::detail
