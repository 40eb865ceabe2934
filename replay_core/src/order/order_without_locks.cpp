#include "order_without_locks.hpp"

namespace orrery::detail {

void OrderWithoutLocks::clear() {
  order_.clear();
  notified_.clear();
  waits_.clear();
}

ObjectId& OrderWithoutLocks::waits_for(TaskId task) {
  if (task.value >= waits_.size()) waits_.resize(std::size_t{task.value} + 1);
  return waits_[task.value];
}

void OrderWithoutLocks::apply(const Event& event) {
  const TaskId task = event.id.task;
  switch (event.kind) {
    case OperationKind::mutex_lock:
      // A wait that was notified ends as the lock of its mutex, and nothing comes between.
      if (waits_for(task) != ObjectId{}) {
        order_.learn(task, notified_[waits_for(task).packed()]);
        waits_for(task) = {};
      }
      return;
    case OperationKind::mutex_try_lock:
    case OperationKind::mutex_unlock:
    case OperationKind::shared_lock:
    case OperationKind::shared_try_lock:
    case OperationKind::shared_unlock: return;
    case OperationKind::condition_wait:
      waits_for(task) = event.gives_up != ObjectId{} ? event.object : ObjectId{};
      return;
    case OperationKind::condition_notify:
      notified_[event.object.packed()].join(order_.clock(task));
      order_.begin_stretch(task);
      return;
    default: order_.apply(event);
  }
}

}  // namespace orrery::detail
