#include "eraser.hpp"

#include <string>

#include <fmt/format.h>

namespace orrery::detail {

void Eraser::begin_run(const RunInfo& info) {
  names_ = info.names;
  sets_.clear();
  held_.clear();
  places_.clear();
  variables_.clear();
  memory_.clear();
  found_.begin_run(info.names);
  initialising_.clear();
  has_partner_.clear();
}

EventMask Eraser::interest() const {
  return HeldLocks::interest() | EventMask::of(OperationKind::read) |
         EventMask::of(OperationKind::write) | EventMask::accesses();
}

void Eraser::refine(ErasedVariable& variable, const ErasedVariable::Past& now,
                    bool is_first_sharing) {
  const HeldSets held = held_.of(TaskId{now.task});
  // Who holds a lock as a reader is kept apart from writers, and keeps nobody from writing else.
  const LockSets::Number locks = now.writes != 0 ? held.writing : held.any;
  const LockSets::Number before = variable.candidates;
  variable.candidates = is_first_sharing ? locks : sets_.intersection(before, locks);
  const bool is_protected_before = is_first_sharing || before != LockSets::none;
  if (is_protected_before && variable.candidates == LockSets::none) variable.breaker = now;
}

ErasedVariable::Past Eraser::partner(const ErasedVariable& variable,
                                     const ErasedVariable::Past& now) {
  const bool is_of_other = variable.breaker.task != now.task;
  return is_of_other ? variable.breaker : variable.last_of_other;
}

std::string Eraser::message(const ErasedVariable::Past& now, LockSets::Number so_far,
                            const std::string& name) const {
  const HeldSets held = held_.of(TaskId{now.task});
  const bool is_reader =
      now.writes != 0 && held.writing == LockSets::none && held.any != LockSets::none;
  const std::string so_far_text =
      so_far == LockSets::none ? "" : fmt::format(", and {} so far", sets_.text(so_far, *names_));
  return fmt::format(
      "no lock is held at every access to {}: {}{} here{}; this breaks a discipline, and need not "
      "be a race of this run",
      name, sets_.text(held.any, *names_), is_reader ? " (as a reader)" : "", so_far_text);
}

template <typename Name>
void Eraser::tell(ErasedVariable& variable, const ErasedVariable::Past& now,
                  LockSets::Number so_far, const RacedMemory& where, const Name& name) {
  variable.is_told = true;
  const ErasedVariable::Past past = partner(variable, now);
  if (past.is_shared != 0) {
    if (!found_.is_new(now.place, past.place)) return;
    return found_.add(message(now, so_far, name()), now.access(), past.access(), places_, where);
  }
  variable.wants_partner = true;
  variable.breaker = now;
  const auto [one, is_new] = initialising_.try_emplace({now.place, past.place});
  if (!is_new) return;
  one->second = {message(now, so_far, name()) + "; the other access is from before it was shared",
                 now.access(), past.access(), where};
}

template <typename Name>
void Eraser::tell_partner(ErasedVariable& variable, const ErasedVariable::Past& now,
                          const RacedMemory& where, const Name& name) {
  const ErasedVariable::Past& past = variable.breaker;
  if (past.task == now.task || (past.writes == 0 && now.writes == 0)) return;
  variable.wants_partner = false;
  has_partner_.insert(past.place);
  if (!found_.is_new(now.place, past.place)) return;
  found_.add(message(now, LockSets::none, name()), now.access(), past.access(), places_, where);
}

template <typename Name>
void Eraser::access(ErasedVariable& variable, const RacingAccess& access, const RacedMemory& where,
                    const Name& name) {
  using State = ErasedVariable::State;
  if (variable.is_told) {
    if (variable.wants_partner) tell_partner(variable, {access, true}, where, name);
    return;
  }
  const State before = variable.state;
  const bool is_of_other = before != State::virgin && TaskId{variable.last.task} != access.task;
  const bool is_exclusive = before == State::virgin || (before == State::exclusive && !is_of_other);
  const ErasedVariable::Past now(access, !is_exclusive);
  if (is_of_other) variable.last_of_other = variable.last;
  variable.last = now;
  if (is_exclusive) {
    variable.state = State::exclusive;
    return;
  }
  const LockSets::Number so_far = variable.candidates;
  refine(variable, now, before == State::exclusive);
  if (access.writes) {
    variable.state = State::shared_modified;
  } else if (before == State::exclusive) {
    variable.state = State::shared;
  }
  const bool is_broken =
      variable.state == State::shared_modified && variable.candidates == LockSets::none;
  if (is_broken) tell(variable, now, so_far, where, name);
}

RaceList Eraser::all_found() const {
  RaceList all = found_;
  for (const auto& [places, one] : initialising_) {
    if (has_partner_.contains(places.first)) continue;
    all.add(one.message, one.now, one.past, places_, one.where);
  }
  return all;
}

void Eraser::on_event(const Event& event) {
  const bool is_access = event.kind == OperationKind::read || event.kind == OperationKind::write;
  if (!is_access) return held_.apply(event);
  if (event.order != MemoryOrder::plain) return;
  access(variables_[event.object.packed()],
         {event.id.task, places_.number_of(event.where), event.kind == OperationKind::write},
         RacedMemory::of(event.object), [&] { return names_->object(event.object); });
}

void Eraser::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  for (const MemoryAccess& one : accesses) {
    const RacingAccess now{task, places_.number_of(one.counter()), one.kind() == AccessKind::write};
    memory_.access(one.address(), one.size_bytes(), [&](ErasedVariable& variable) {
      access(variable, now, RacedMemory::of(one), [&] { return memory_text(one.size_bytes()); });
    });
  }
}

void Eraser::on_freed(Address address, std::uint64_t size_bytes) {
  memory_.forget(address, size_bytes, [](const ErasedVariable&) {});
}

}  // namespace orrery::detail

namespace orrery {

std::unique_ptr<Detector> make_eraser() {
  return std::make_unique<detail::Eraser>();
}

}  // namespace orrery
