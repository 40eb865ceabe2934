#include "lamport_clocks.hpp"

#include <utility>

#include "wide_accesses.hpp"

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

void LamportClocks::begin(const PendingOperations* pending) {
  *this = {};
  pending_ = pending;
}

LamportClocks::Reach LamportClocks::reach_of(const Alternative& step) {
  Reach reach = reach_of(stamped_object(step));
  const auto wide = wide_access(step.id.task, step.kind, reach.first->place);
  if (wide) reach.words = wide->words;
  reach.is_source =
      step.kind == OperationKind::read && pending_->operation(step.id.task).is_source_of_write;
  return reach;
}

LamportClocks::Touch LamportClocks::last(const Reach& reach) const {
  const auto find = [this](const VariableKeys::Known& one) {
    const Touch* const found = touches_.find(one, forgotten_);
    return found == nullptr ? Touch{} : *found;
  };
  Touch last = find(*reach.first);
  for (std::uint64_t i = 1; i < reach.words; ++i) {
    last = later(last, find(VariableKeys::word_behind(reach.first->place, i)));
  }
  return last;
}

void LamportClocks::touch(TaskId task, const Reach& reach) {
  const Touch now{clock(task), task};
  touches_.add(*reach.first, forgotten_, now).first = now;
  for (std::uint64_t i = 1; i < reach.words; ++i) {
    touches_.add(VariableKeys::word_behind(reach.first->place, i), forgotten_, now).first = now;
  }
}

/// Whoever assigns a structure announces its target, then its source, and does both then: who comes
/// to the target afterwards comes behind that.
void LamportClocks::act(TaskId task, const Reach& reach) {
  touch(task, reach);
  const Reach target = std::exchange(own(task).target, reach);
  if (reach.is_source && target.first != nullptr) touch(task, target);
}

void LamportClocks::end_process(std::span<const TaskId> tasks) {
  const std::uint64_t last = std::ranges::max(tasks_, {}, &Task::clock).clock;
  for (const TaskId task : tasks) clock(task) = last;
}

}  // namespace orrery::detail
