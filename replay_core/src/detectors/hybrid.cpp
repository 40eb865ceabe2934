#include "hybrid.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace orrery::detail {

void Hybrid::begin_run(const RunInfo& info) {
  names_ = info.names;
  sets_.clear();
  held_.clear();
  held_sets_.assign(1, HeldSets{});
  held_numbers_.clear();
  held_numbers_[{LockSets::none, LockSets::none}] = 0;
  order_.clear();
  order_with_locks_.clear();
  atomics_.clear();
  epochs_.clear();
  places_.clear();
  variables_.clear();
  memory_.clear();
  many_.clear();
  free_many_.clear();
  races_.clear();
  found_.begin_run(info.names);
}

EventMask Hybrid::interest() const {
  return OrderWithoutLocks::interest() | HeldLocks::interest() | EventMask::accesses();
}

void Hybrid::on_task(TaskId task, std::span<const TaskId> predecessors) {
  order_.begin_task(task, predecessors);
  order_with_locks_.begin_task(task, predecessors);
}

void Hybrid::forget_old_epochs() {
  epochs_.renumber([&](const auto& function) {
    const auto of_variable = [&](Variable& one) { function(one.only.epoch); };
    for (auto& [object, one] : variables_) of_variable(one);
    memory_.for_each(of_variable);
    for (std::vector<Past>& pasts : many_) {
      for (Past& one : pasts) function(one.epoch);
    }
  });
}

Hybrid::Accessor Hybrid::accessor(TaskId task) {
  if (epochs_.are_many()) forget_old_epochs();
  const HeldSets held = held_.of(task);
  const auto [found, is_new] = held_numbers_.try_emplace(
      {held.any, held.writing}, static_cast<HeldNumber>(held_sets_.size()));
  if (is_new) held_sets_.push_back(held);
  return {task, epochs_.number_of(order_.now(task)), found->second};
}

bool Hybrid::says_all_of(const Past& past, const Past& now) {
  if (past.epoch != now.epoch || past.writes < now.writes) return false;
  if (past.held == now.held) return true;
  const HeldSets& then = held_sets_[past.held];
  const HeldSets& held = held_sets_[now.held];
  return sets_.is_subset(then.any, held.any) && sets_.is_subset(then.writing, held.writing);
}

bool Hybrid::is_superseded(const Past& past, const Accessor& by, const Past& now) {
  if (now.writes < past.writes) return false;
  const HeldSets& then = held_sets_[past.held];
  const HeldSets& held = held_sets_[now.held];
  return order_.clock(by.task).covers(epochs_.epoch(past.epoch)) &&
         sets_.is_subset(held.any, then.any) && sets_.is_subset(held.writing, then.writing);
}

void Hybrid::compare(const Past& past, const Accessor& by, const Past& now) {
  const Epoch then = epochs_.epoch(past.epoch);
  if (then.task == by.task.value || (past.writes == 0 && now.writes == 0)) return;
  if (order_.clock(by.task).covers(then)) return;
  if (keep_apart(held_sets_[past.held], held_sets_[now.held], sets_)) return;
  races_.push_back(past);
}

std::uint32_t Hybrid::new_list() {
  if (free_many_.empty()) {
    many_.emplace_back();
    return static_cast<std::uint32_t>(many_.size());
  }
  const std::uint32_t number = free_many_.back();
  free_many_.pop_back();
  return number;
}

Hybrid::Variable Hybrid::CopyOfVariable::operator()(const Variable& variable) const {
  Variable copy = variable;
  if (variable.many == 0) return copy;
  copy.many = hybrid.new_list();
  hybrid.many_[copy.many - 1] = hybrid.many_[variable.many - 1];
  return copy;
}

void Hybrid::make_many(Variable& variable) {
  variable.many = new_list();
  many_[variable.many - 1].push_back(variable.only);
  variable.only = {};
}

void Hybrid::access(Variable& variable, const Accessor& by, PlaceNumber place, bool writes) {
  const Past now{by.epoch, place, by.held & 0x7fff'ffffU, writes ? 1U : 0U};
  if (variable.many != 0) return access_many(many_[variable.many - 1], by, now);
  const bool is_first = variable.only.epoch == 0;
  if (!is_first) {
    if (says_all_of(variable.only, now)) return;
    compare(variable.only, by, now);
  }
  if (is_first || is_superseded(variable.only, by, now)) {
    variable.only = now;
    return;
  }
  make_many(variable);
  many_[variable.many - 1].push_back(now);
}

void Hybrid::access_many(std::vector<Past>& pasts, const Accessor& by, const Past& now) {
  constexpr std::size_t pasts_max = 64;
  if (std::ranges::any_of(pasts, [&](const Past& past) { return says_all_of(past, now); })) return;
  for (const Past& past : pasts) compare(past, by, now);
  std::erase_if(pasts, [&](const Past& past) { return is_superseded(past, by, now); });
  if (pasts.size() == pasts_max) pasts.erase(pasts.begin());
  pasts.push_back(now);
}

template <typename Name>
void Hybrid::tell(const Accessor& by, PlaceNumber place, bool writes, const RacedMemory& where,
                  const Name& name) {
  for (const Past& past : races_) {
    if (!found_.is_new(place, past.place)) continue;
    const auto held_text = [&](HeldNumber held) {
      return sets_.text(held_sets_[held].any, *names_);
    };
    found_.add(
        fmt::format("two accesses to {} have no lock in common, and nothing but locks orders "
                    "them: {} here, {} before",
                    name(), held_text(by.held), held_text(past.held)),
        {by.task, place, writes},
        {TaskId{epochs_.epoch(past.epoch).task}, past.place, past.writes != 0}, places_, where);
  }
  races_.clear();
}

void Hybrid::on_event(const Event& event) {
  const bool is_access = event.kind == OperationKind::read || event.kind == OperationKind::write;
  if (!is_access || event.order != MemoryOrder::plain) {
    atomics_.access(event, order_with_locks_.clock(event.id.task));
    order_.apply(event);
    order_with_locks_.apply(event);
    held_.apply(event);
    return;
  }
  const Accessor by = accessor(event.id.task);
  const PlaceNumber place = places_.number_of(event.where);
  const bool writes = event.kind == OperationKind::write;
  access(variables_[event.object.packed()], by, place, writes);
  if (races_.empty()) return;
  tell(by, place, writes, RacedMemory::of(event.object),
       [&] { return names_->object(event.object); });
}

void Hybrid::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  const Accessor by = accessor(task);
  for (const MemoryAccess& one : accesses) {
    const PlaceNumber place = places_.number_of(one.counter());
    const bool writes = one.kind() == AccessKind::write;
    memory_.access(one.address(), one.size_bytes(),
                   [&](Variable& variable) { access(variable, by, place, writes); });
    if (races_.empty()) continue;
    tell(by, place, writes, RacedMemory::of(one), [&] { return memory_text(one.size_bytes()); });
  }
  atomics_.access(task, accesses, order_with_locks_.clock(task));
}

void Hybrid::on_freed(Address address, std::uint64_t size_bytes) {
  atomics_.forget(address, size_bytes);
  memory_.forget(address, size_bytes, [this](Variable& one) {
    if (one.many == 0) return;
    many_[one.many - 1].clear();
    free_many_.push_back(one.many);
  });
}

}  // namespace orrery::detail

namespace orrery {

std::unique_ptr<Detector> make_hybrid() {
  return std::make_unique<detail::Hybrid>();
}

}  // namespace orrery
