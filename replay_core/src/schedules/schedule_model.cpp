#include "schedule_model.hpp"

#include <algorithm>

namespace orrery::detail {
namespace {

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = (a ^ b * 0x9e3779b97f4a7c15U) + 0x632be59bd9b4e019U;
  z = (z ^ z >> 32U) * 0xd6e8feb86659fd93U;
  return z ^ z >> 32U;
}

}  // namespace

std::uint64_t RelativeOperation::key() const {
  return mix(std::uint64_t{creator} << 32U | number,
             std::uint64_t{is_own} << 8U | static_cast<std::uint64_t>(kind));
}

std::uint64_t ScheduleModel::context(const Task& task, unsigned depth) {
  return mix(depth == 2 ? mix(task.key_before, 2) : 1, task.last_key);
}

std::optional<RelativeOperation> ScheduleModel::guess(TaskId id, unsigned depth) {
  const auto found = followers_.find(context(task(id), depth));
  return found == followers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ScheduleEntry> ScheduleModel::guess_delivery(TaskId id) {
  const Task& sender = task(id);
  if (sender.first_undelivered == sender.sends.size()) return std::nullopt;
  const Send& oldest = sender.sends[sender.first_undelivered];
  return ScheduleEntry::step({id, oldest.number}, OperationKind::deliver, oldest.object);
}

std::optional<std::size_t> ScheduleModel::object_index(ObjectId object) const {
  const auto found = object_indices_.find(object.packed());
  return found == object_indices_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ObjectId> ScheduleModel::object_at(std::uint64_t index) const {
  if (index >= objects_.size()) return std::nullopt;
  return objects_[static_cast<std::size_t>(index)];
}

void ScheduleModel::learn_object(ObjectId object) {
  if (!object_indices_.emplace(object.packed(), objects_.size()).second) return;
  objects_.push_back(object);
  // After the machine's own, the root task's are likely.
  const TaskId creator = object == tasks_object ? TaskId{0} : object.creator;
  expected_object_ = {creator, object == tasks_object ? 1 : object.number + 1};
}

void ScheduleModel::move_to_front(TaskId id) {
  const auto found = std::find(recent_.begin(), recent_.end(), id);
  if (found != recent_.end()) {
    std::rotate(recent_.begin(), found, found + 1);
    return;
  }
  if (recent_.size() == recent_max) recent_.pop_back();
  recent_.insert(recent_.begin(), id);
}

void ScheduleModel::learn_task_step(const ScheduleEntry& entry) {
  Task& one = task(entry.id.task);
  const auto relative = RelativeOperation::of(entry.operation, entry.object(), entry.id.task);
  followers_[context(one, 2)] = relative;
  followers_[context(one, 1)] = relative;
  one.key_before = one.last_key;
  one.last_key = relative.key();
  one.last_kind = entry.operation;
  one.last_number = entry.id.number;
  one.last_object = entry.object();
  const bool is_in_order = one.sends.empty() || one.sends.back().number < entry.id.number;
  if (entry.operation == OperationKind::send && is_in_order) {
    one.sends.push_back({entry.id.number, false, entry.object()});
  }
  move_to_front(entry.id.task);
}

void ScheduleModel::learn(const ScheduleEntry& entry) {
  // Wraps at the highest number there is, in both directions alike.
  if (entry.id.task.value >= tasks_seen_) tasks_seen_ = entry.id.task.value + 1;
  if (entry.is_clock()) {
    Clock& clock = task(entry.id.task).clock;
    clock = {entry.value(), entry.value() - clock.date};
  }
  if (entry.type != ScheduleEntry::Type::step) return;
  learn_object(entry.object());
  if (is_task_step(entry.operation)) return learn_task_step(entry);
  if (entry.operation == OperationKind::deliver) learn_delivery(entry.id);
}

void ScheduleModel::learn_delivery(OperationId send) {
  Task& sender = task(send.task);
  const auto found = std::ranges::lower_bound(sender.sends, send.number, {}, &Send::number);
  if (found == sender.sends.end() || found->number != send.number) return;
  found->is_delivered = true;
  while (sender.first_undelivered < sender.sends.size() &&
         sender.sends[sender.first_undelivered].is_delivered) {
    ++sender.first_undelivered;
  }
}

}  // namespace orrery::detail
