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
}

EventMask Eraser::interest() const {
  return HeldLocks::interest() | EventMask::of(OperationKind::read) |
         EventMask::of(OperationKind::write) | EventMask::accesses();
}

void Eraser::refine(ErasedVariable& variable, bool is_first_sharing, bool writes,
                    const HeldSets& held) {
  // Who holds a lock as a reader is kept apart from writers, and keeps nobody from writing else.
  const LockSets::Number now = writes ? held.writing : held.any;
  variable.candidates = is_first_sharing ? now : sets_.intersection(variable.candidates, now);
}

template <typename Name>
void Eraser::access(ErasedVariable& variable, const RacingAccess& now, const RacedMemory& where,
                    const Name& name) {
  using State = ErasedVariable::State;
  const State before = variable.state;
  const bool is_of_other = before != State::virgin && variable.last.task != now.task;
  if (is_of_other) {
    variable.last_of_other = variable.last;
    variable.last_of_other_writes = variable.last_writes;
  }
  variable.last = {now.place, now.task};
  variable.last_writes = now.writes;
  if (before == State::virgin || (before == State::exclusive && !is_of_other)) {
    variable.state = State::exclusive;
    return;
  }
  if (variable.is_told) return;
  const LockSets::Number so_far = variable.candidates;
  const HeldSets held = held_.of(now.task);
  refine(variable, before == State::exclusive, now.writes, held);
  if (now.writes) {
    variable.state = State::shared_modified;
  } else if (before == State::exclusive) {
    variable.state = State::shared;
  }
  if (variable.state != State::shared_modified || variable.candidates != LockSets::none) return;
  variable.is_told = true;
  const ErasedVariable::Past& past = variable.last_of_other;
  if (!found_.is_new(now.place, past.place)) return;
  const bool is_reader = now.writes && held.writing == LockSets::none && held.any != LockSets::none;
  const std::string so_far_text =
      so_far == LockSets::none ? "" : fmt::format(", and {} so far", sets_.text(so_far, *names_));
  found_.add(
      fmt::format("no lock is held at every access to {}: {}{} here{}; this breaks a discipline, "
                  "and need not be a race of this run",
                  name(), sets_.text(held.any, *names_), is_reader ? " (as a reader)" : "",
                  so_far_text),
      now, {past.task, past.place, variable.last_of_other_writes}, places_, where);
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
