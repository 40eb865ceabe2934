#include "lock_sets.hpp"

#include <algorithm>
#include <iterator>

#include "order/lock_events.hpp"

namespace orrery::detail {

void LockSets::clear() {
  sets_.assign(1, {});
  numbers_.clear();
  numbers_[{}] = none;
  intersections_.clear();
}

LockSets::Number LockSets::number_of(const std::vector<ObjectId>& locks) {
  const auto [found, is_new] = numbers_.try_emplace(locks, static_cast<Number>(sets_.size()));
  if (is_new) sets_.push_back(locks);
  return found->second;
}

LockSets::Number LockSets::known_intersection(Number one, Number other) {
  const auto [less, more] = std::minmax(one, other);
  const std::uint64_t both = std::uint64_t{less} << 32U | more;
  if (const auto found = intersections_.find(both); found != intersections_.end()) {
    return found->second;
  }
  std::vector<ObjectId> common;
  std::ranges::set_intersection(sets_[one], sets_[other], std::back_inserter(common));
  const Number number = number_of(common);
  intersections_[both] = number;
  return number;
}

std::string LockSets::text(Number set, const Names& names) const {
  if (set == none) return "no lock";
  std::string text;
  for (const ObjectId lock : sets_[set]) {
    text += (text.empty() ? "" : " and ") + names.object(lock);
  }
  return text;
}

EventMask HeldLocks::interest() {
  using Kind = OperationKind;
  EventMask mask;
  for (const Kind kind :
       {Kind::mutex_lock, Kind::mutex_try_lock, Kind::mutex_unlock, Kind::shared_lock,
        Kind::shared_try_lock, Kind::shared_unlock, Kind::condition_wait}) {
    mask = mask | EventMask::of(kind);
  }
  return mask;
}

void HeldLocks::apply(const Event& event) {
  if (!interest().has(event.kind)) return;
  if (event.id.task.value >= tasks_.size()) tasks_.resize(std::size_t{event.id.task.value} + 1);
  Task& task = tasks_[event.id.task.value];
  switch (event.kind) {
    case OperationKind::mutex_unlock: give_up(task, event.object, true); break;
    case OperationKind::shared_unlock: give_up(task, event.object, false); break;
    case OperationKind::condition_wait:
      // A recursive mutex is given up as a whole, if at all.
      while (event.gives_up != ObjectId{} && give_up(task, event.gives_up, true)) {
      }
      break;
    default:
      if (has_got_lock(event)) take(task, event.object, asks_to_write(event));
  }
  renew(task);
}

void HeldLocks::take(Task& task, ObjectId lock, bool writing) {
  const auto found = std::ranges::find_if(
      task.held, [&](const Held& one) { return one.lock == lock && one.writing == writing; });
  if (found != task.held.end()) {
    ++found->count;
  } else {
    task.held.push_back({lock, writing, 1});
  }
}

bool HeldLocks::give_up(Task& task, ObjectId lock, bool writing) {
  const auto found = std::ranges::find_if(
      task.held, [&](const Held& one) { return one.lock == lock && one.writing == writing; });
  if (found == task.held.end()) return false;
  if (--found->count == 0) task.held.erase(found);
  return true;
}

void HeldLocks::renew(Task& task) {
  std::vector<ObjectId> any;
  std::vector<ObjectId> writing;
  for (const Held& one : task.held) {
    any.push_back(one.lock);
    if (one.writing) writing.push_back(one.lock);
  }
  for (std::vector<ObjectId>* const locks : {&any, &writing}) {
    std::ranges::sort(*locks);
    locks->erase(std::unique(locks->begin(), locks->end()), locks->end());
  }
  task.sets = {sets_.number_of(any), sets_.number_of(writing)};
}

}  // namespace orrery::detail
