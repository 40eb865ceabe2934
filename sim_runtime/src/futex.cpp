#include "futex.hpp"

#include <algorithm>

#include "machine.hpp"
#include "operation_on.hpp"

namespace orrery::detail {
bool Futex::is_enabled(const Operation&, TaskId task) const {
  // Asked of sleepers only: they wake by themselves where that is allowed.
  const bool may_wake_by_itself = machine_->options().spurious_wakeups && !is_hosts_;
  return may_wake_by_itself || std::ranges::find(woken_, task) != woken_.end();
}

bool Futex::wakes_by_itself(const Operation&, TaskId task) const {
  return std::ranges::find(woken_, task) == woken_.end();
}

Futex::Result Futex::wait(const std::uint32_t* word, std::uint32_t expected, std::uint32_t bits,
                          VirtualTime deadline, bool is_programs, const SourceLocation& where) {
  const auto operation = operation_on(id(), OperationKind::condition_wait, where, expected);
  machine_->announce(operation);
  if (machine_->is_unwinding()) return Result::woken;
  std::uint64_t sleeps = *word == expected ? 1 : 0;
  if (is_programs) sleeps = machine_->choose_input(futex_question, sleeps);
  if (sleeps == 0) {
    machine_->told(operation, {}, /*payload_hash=*/1);
    return Result::changed;
  }
  const TaskId self = machine_->running().id;
  sleepers_.push_back({self, machine_->running().current_id(), bits, this});
  machine_->told(operation);
  const bool in_time = machine_->sleep_on(*this, deadline);
  if (machine_->is_unwinding()) return Result::woken;
  const bool was_woken = std::erase(woken_, self) > 0;
  if (!in_time || !was_woken) {
    forget(self);
    for (Futex* const other : moved_to_) other->forget(self);
  }
  return in_time ? Result::woken : Result::timed_out;
}

void Futex::forget(TaskId task) {
  std::erase_if(sleepers_, [task](const Sleeper& sleeper) { return sleeper.task == task; });
}

std::size_t Futex::choose(std::uint32_t bits) const {
  std::vector<Alternative> alternatives;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < sleepers_.size(); ++i) {
    if ((sleepers_[i].bits & bits) == 0) continue;
    alternatives.push_back({sleepers_[i].wait, machine_->running().current_id(), id_,
                            OperationKind::condition_wait, /*weight=*/1});
    indices.push_back(i);
  }
  if (indices.empty()) return sleepers_.size();
  return indices[machine_->choose(ChoiceKind::waiter, alternatives)];
}

int Futex::wake(int count, std::uint32_t bits, Futex* moved_to, int moved_count,
                const SourceLocation& where) {
  const auto operation =
      operation_on(id(), OperationKind::condition_notify, where, static_cast<std::uint64_t>(count));
  machine_->announce(operation);
  if (machine_->is_unwinding()) return 0;
  int woken = 0;
  OperationId last;
  for (; woken < count; ++woken) {
    const std::size_t index = choose(bits);
    if (index == sleepers_.size()) break;
    const Sleeper sleeper = sleepers_[index];
    sleepers_.erase(sleepers_.begin() + static_cast<std::ptrdiff_t>(index));
    last = sleeper.wait;
    sleeper.origin->woken_.push_back(sleeper.task);
    machine_->reconsider(*sleeper.origin);
  }
  for (int moved = 0; moved_to != nullptr && moved < moved_count && !sleepers_.empty(); ++moved) {
    sleepers_.front().origin->moved_to_.push_back(moved_to);
    moved_to->sleepers_.push_back(sleepers_.front());
    sleepers_.erase(sleepers_.begin());
  }
  machine_->told(operation, last);
  return woken;
}

}  // namespace orrery::detail
