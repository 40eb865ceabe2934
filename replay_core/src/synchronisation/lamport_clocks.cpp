#include "lamport_clocks.hpp"

namespace orrery::detail {

bool has_stamp(OperationKind kind) {
  switch (kind) {
    // What a task does for itself, and its beginning, which comes behind its spawning anyhow.
    case OperationKind::none:
    case OperationKind::task_start:
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

}  // namespace orrery::detail
