#include "instant_replay_tapes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "object_accesses.hpp"

namespace orrery::detail {

MessageRecords starters_of(std::span<const HistoryTape> tapes) {
  MessageRecords records;
  records.first_started = 1;
  for (std::size_t i = 1; i < tapes.size(); ++i) {
    records.starters.push_back(tapes[i].starter.value_or(TaskId{}));
  }
  return records;
}

void TapeReader::begin(std::span<const HistoryTape> tapes) {
  tapes_ = tapes;
  heads_.assign(tapes.size(), Head{});
  for (std::size_t i = 0; i < tapes.size(); ++i) {
    heads_[i].has_sends = std::ranges::any_of(
        tapes[i].entries, [](const TapeEntry& entry) { return entry.kind == OperationKind::send; });
  }
  objects_.clear();
}

const TapeEntry* TapeReader::next_entry(TaskId task) const {
  const std::vector<TapeEntry>& entries = tapes_[task.value].entries;
  const std::size_t next = heads_[task.value].next;
  return next < entries.size() ? &entries[next] : nullptr;
}

const ObjectId* TapeReader::object_of(TaskId task, const TapeEntry& entry) const {
  const std::vector<ObjectId>& objects = heads_[task.value].objects;
  return entry.object < objects.size() ? &objects[entry.object] : nullptr;
}

TapeReader::Object TapeReader::now(ObjectId object) const {
  const auto found = objects_.find(object.packed());
  return found == objects_.end() ? Object{} : found->second;
}

bool TapeReader::is_due(const TapeEntry& entry, ObjectId object) const {
  const Object state = now(object);
  return state.version == entry.version && (!entry.writes || state.readers == entry.readers);
}

bool TapeReader::is_second(TaskId task, std::size_t index) const {
  const std::vector<TapeEntry>& entries = tapes_[task.value].entries;
  return index < entries.size() && entries[index].kind == OperationKind::none;
}

TapeReader::Verdict TapeReader::judge(TaskId task, const Alternative& step) const {
  if (task.value >= tapes_.size()) return Verdict::beyond;
  const Head& head = heads_[task.value];
  if (head.steps >= tapes_[task.value].steps) return Verdict::beyond;
  const TapeEntry* const entry = next_entry(task);
  const bool is_timeout = step.kind == OperationKind::timeout;
  const bool expects_timeout = entry != nullptr && entry->kind == OperationKind::timeout;
  const bool is_on_tape = step.kind == OperationKind::send
                              ? head.has_sends
                              : access_of(step.kind, step.object) != ObjectAccess::none;
  if (!is_timeout && !is_on_tape) return Verdict::now;
  // An operation may end in two ways, and who sleeps may wake without being told.
  if (is_timeout != expects_timeout) return entry != nullptr ? Verdict::not_yet : Verdict::other;
  const bool wakes_by_itself = step.id == head.last_step;
  if (entry == nullptr) return Verdict::other;
  if (entry->kind != step.kind) return wakes_by_itself ? Verdict::not_yet : Verdict::other;
  const ObjectId* const known = object_of(task, *entry);
  const bool is_known = std::ranges::find(head.objects, step.object) != head.objects.end();
  if (known != nullptr ? *known != step.object : is_known) {
    return wakes_by_itself ? Verdict::not_yet : Verdict::other;
  }
  if (!is_due(*entry, step.object)) return Verdict::not_yet;
  if (!is_second(task, head.next + 1)) return Verdict::now;
  const TapeEntry& second = tapes_[task.value].entries[head.next + 1];
  const ObjectId* const given_up = object_of(task, second);
  if (given_up == nullptr) return Verdict::other;
  return is_due(second, *given_up) ? Verdict::now : Verdict::not_yet;
}

void TapeReader::count(const TapeEntry& entry, ObjectId object) {
  Object& state = objects_[object.packed()];
  if (entry.writes) {
    ++state.version;
    state.readers = 0;
  } else {
    ++state.readers;
  }
}

void TapeReader::take(TaskId task, const Alternative& step) {
  if (task.value >= tapes_.size()) return;
  Head& head = heads_[task.value];
  ++head.steps;
  head.last_step = step.id;
  const TapeEntry* const entry = next_entry(task);
  if (entry == nullptr || entry->kind != step.kind) return;
  if (entry->object == head.objects.size()) head.objects.push_back(step.object);
  count(*entry, step.object);
  if (head.repeats < entry->repeats) {
    ++head.repeats;
    return;
  }
  head.repeats = 0;
  ++head.next;
  if (!is_second(task, head.next)) return;
  const TapeEntry& second = tapes_[task.value].entries[head.next++];
  count(second, head.objects[second.object]);
}

std::optional<std::uint32_t> TapeReader::next_woken(TaskId task) {
  if (task.value >= tapes_.size()) return std::nullopt;
  const std::vector<std::uint32_t>& woken = tapes_[task.value].woken;
  Head& head = heads_[task.value];
  if (head.woken >= woken.size()) return std::nullopt;
  return woken[head.woken++];
}

bool TapeReader::has_steps(TaskId task) const {
  return task.value < tapes_.size() && heads_[task.value].steps < tapes_[task.value].steps;
}

bool TapeReader::has_ended(TaskId task) const {
  return task.value < tapes_.size() && tapes_[task.value].has_ended;
}

std::size_t TapeReader::place(TaskId task) const {
  return task.value < heads_.size() ? heads_[task.value].next : 0;
}

std::string TapeReader::expected(TaskId task) const {
  const TapeEntry* const entry = task.value < tapes_.size() ? next_entry(task) : nullptr;
  if (entry == nullptr) return "no more accesses";
  std::string text =
      fmt::format("{}, which {} its object number {} at version {}", name(entry->kind),
                  entry->writes ? "writes" : "reads", entry->object + 1, entry->version);
  if (entry->writes) text += fmt::format(" after {} reads", entry->readers);
  if (const ObjectId* const object = object_of(task, *entry)) {
    const Object state = now(*object);
    text += fmt::format(" (it is at version {}, after {} reads)", state.version, state.readers);
  }
  return text;
}

}  // namespace orrery::detail
