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

void TapeReader::begin(std::span<const HistoryTape> tapes, const PendingOperations* pending) {
  tapes_ = tapes;
  heads_.assign(tapes.size(), Head{});
  for (std::size_t i = 0; i < tapes.size(); ++i) {
    heads_[i].has_sends = std::ranges::any_of(
        tapes[i].entries, [](const TapeEntry& entry) { return entry.kind == OperationKind::send; });
  }
  objects_.clear();
  states_.clear();
  keys_.clear();
  forgotten_.clear();
  half_assigned_.begin(pending);
}

const TapeEntry* TapeReader::next_entry(TaskId task) const {
  const std::vector<TapeEntry>& entries = tapes_[task.value].entries;
  const std::size_t next = heads_[task.value].next;
  return next < entries.size() ? &entries[next] : nullptr;
}

const TapeReader::Met* TapeReader::object_of(TaskId task, const TapeEntry& entry) const {
  const std::vector<Met>& objects = heads_[task.value].objects;
  return entry.object < objects.size() ? &objects[entry.object] : nullptr;
}

std::size_t TapeReader::entries_of_step(TaskId task) const {
  const auto own = std::span(tapes_[task.value].entries).subspan(heads_[task.value].next);
  std::size_t count = 1;
  while (count < own.size() && own[count].kind == OperationKind::none) ++count;
  return count;
}

/// The mutex that a wait gives up is one that the task has locked.
std::optional<TapeReader::Met> TapeReader::met_by(TaskId task, const Alternative& step,
                                                  std::size_t n) {
  const Head& head = heads_[task.value];
  const TapeEntry& entry = tapes_[task.value].entries[head.next + n];
  const Met* const used = object_of(task, entry);
  if (n > 0 && step.kind == OperationKind::condition_wait) {
    return used == nullptr ? std::nullopt : std::optional(*used);
  }
  const Known& first = keys_.of(step.object);
  const Known met = n == 0 ? first : VariableKeys::word_behind(first.place, n);
  const std::uint32_t* number = head.numbers.find(met, forgotten_);
  if (number == nullptr && used != nullptr && is_wake(step.kind, met.place)) {
    number = head.numbers.last(met);
  }
  if (number != nullptr) {
    return *number == entry.object ? std::optional(head.objects[*number]) : std::nullopt;
  }
  if (used != nullptr) return std::nullopt;
  const std::size_t* const state = states_.find(met, forgotten_);
  return Met{met, state == nullptr ? std::nullopt : std::optional(*state)};
}

TapeReader::Object TapeReader::now(const Met& object) const {
  return object.state ? objects_[*object.state] : Object{};
}

bool TapeReader::is_due(const TapeEntry& entry, const Met& object) const {
  const Object state = now(object);
  return state.version == entry.version && (!entry.writes || state.readers == entry.readers);
}

TapeReader::Verdict TapeReader::judge(TaskId task, const Alternative& step) {
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
  bool is_now = true;
  const std::size_t entries = entries_of_step(task);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::optional<Met> object = met_by(task, step, i);
    if (!object) return wakes_by_itself ? Verdict::not_yet : Verdict::other;
    is_now = is_now && is_due(entry[i], *object) &&
             !half_assigned_.by_others(step.id.task, object->known.key);
  }
  return is_now ? Verdict::now : Verdict::not_yet;
}

TapeReader::Met TapeReader::counted(const Met& object) {
  if (object.state) return object;
  const auto [state, is_new] = states_.add(object.known, forgotten_, objects_.size());
  if (is_new) objects_.emplace_back();
  return {object.known, state};
}

void TapeReader::count(const TapeEntry& entry, const Met& object) {
  Object& state = objects_[*object.state];
  if (entry.writes) {
    ++state.version;
    state.readers = 0;
  } else {
    ++state.readers;
  }
}

void TapeReader::take(TaskId task, const Alternative& step) {
  half_assigned_.steps(step.id.task);
  if (task.value >= tapes_.size()) return;
  Head& head = heads_[task.value];
  ++head.steps;
  head.last_step = step.id;
  const TapeEntry* const entry = next_entry(task);
  if (entry == nullptr || entry->kind != step.kind) return;
  const std::size_t entries = entries_of_step(task);
  for (std::size_t i = 0; i < entries; ++i) {
    const TapeEntry& one = tapes_[task.value].entries[head.next + i];
    const std::optional<Met> met = met_by(task, step, i);
    if (!met) return;  // the run has parted
    const Met object = counted(*met);
    if (one.object == head.objects.size()) {
      head.objects.push_back(object);
      head.numbers.add(object.known, forgotten_, one.object);
    }
    count(one, object);
    if (step.kind == OperationKind::write) {
      half_assigned_.writes(step.id.task, entries, object.known.key);
    }
  }
  if (head.repeats < entry->repeats) {
    ++head.repeats;
    return;
  }
  head.repeats = 0;
  head.next += entries;
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
  const TapeEntry* const first = task.value < tapes_.size() ? next_entry(task) : nullptr;
  if (first == nullptr) return "no more accesses";
  // Of several words the one that it waits for.
  const std::span<const TapeEntry> all(first, entries_of_step(task));
  const auto late = std::ranges::find_if(all, [&](const TapeEntry& one) {
    const Met* const object = object_of(task, one);
    return object != nullptr && !is_due(one, *object);
  });
  const TapeEntry& entry = late == all.end() ? *first : *late;
  std::string text =
      fmt::format("{}, which {} its object number {} at version {}", name(first->kind),
                  entry.writes ? "writes" : "reads", entry.object + 1, entry.version);
  if (entry.writes) text += fmt::format(" after {} reads", entry.readers);
  if (const Met* const object = object_of(task, entry)) {
    const Object state = now(*object);
    text += fmt::format(" (it is at version {}, after {} reads)", state.version, state.readers);
  }
  return text;
}

}  // namespace orrery::detail
