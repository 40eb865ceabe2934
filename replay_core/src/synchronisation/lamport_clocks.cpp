#include "lamport_clocks.hpp"

#include <orrery/sim_runtime/variable_places.hpp>

namespace orrery::detail {

bool has_stamp(OperationKind kind) {
  switch (kind) {
    // What a task does for itself, and its beginning, which comes behind its spawning anyhow.
    case OperationKind::none:
    case OperationKind::task_start:
    case OperationKind::task_end:
    case OperationKind::sleep:
    case OperationKind::yield:
    case OperationKind::random:
    case OperationKind::compute:
    // Steps of the machine's own.
    case OperationKind::deliver:
    case OperationKind::transfer:
    case OperationKind::fault:
    case OperationKind::recover: return false;
    default: return true;
  }
}

bool is_message_operation(OperationKind kind) {
  return (kind >= OperationKind::send && kind <= OperationKind::deliver) ||
         kind == OperationKind::transfer;
}

ObjectId stamped_object(const Alternative& step) {
  constexpr ObjectId outside{TaskId{0xffff'fffeU}, 1};
  return step.object == ObjectId{} ? outside : step.object;
}

ObjectId LamportClocks::object_of(const Alternative& step) {
  const ObjectId object = stamped_object(step);
  if (step.object == ObjectId{}) return object;
  const auto [known, is_new] = known_.try_emplace(object.packed(), object);
  if (!is_new) return known->second;
  const VariablePlace place = place_of(object);
  const bool may_be_futex =
      step.kind == OperationKind::condition_wait || step.kind == OperationKind::condition_notify;
  if (place.program_address == 0 || place.is_hosts || !(place.is_atomic || may_be_futex)) {
    return object;
  }
  constexpr std::uintptr_t unit_bytes = 16;  // the widest of the processor's atomic operations
  return known->second =
             units_.try_emplace(place.program_address / unit_bytes, object).first->second;
}

}  // namespace orrery::detail
