#include "order_without_locks.hpp"

#include <orrery/sim_runtime/variable_places.hpp>

namespace orrery::detail {
namespace {

bool is_mutex(OperationKind kind) {
  return kind == OperationKind::mutex_lock || kind == OperationKind::mutex_try_lock ||
         kind == OperationKind::mutex_unlock;
}

}  // namespace

void OrderWithoutLocks::clear() {
  order_.clear();
  notified_.clear();
  waits_.clear();
  are_hosts_.clear();
}

bool OrderWithoutLocks::is_hosts(ObjectId object) {
  const auto [found, is_new] = are_hosts_.try_emplace(object.packed());
  if (is_new) found->second = place_of(object).is_hosts;
  return found->second;
}

ObjectId& OrderWithoutLocks::waits_for(TaskId task) {
  if (task.value >= waits_.size()) waits_.resize(std::size_t{task.value} + 1);
  return waits_[task.value];
}

void OrderWithoutLocks::apply(const Event& event) {
  const TaskId task = event.id.task;
  if (is_mutex(event.kind) && is_hosts(event.object)) return order_.apply(event);
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
