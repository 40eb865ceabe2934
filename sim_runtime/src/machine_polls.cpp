// Polls that fail park until something else happens, so that they neither stop time nor starve whom
// they wait for.
#include <algorithm>
#include <utility>

#include "machine.hpp"

namespace orrery::detail {

bool Task::repeats_load(ObjectId variable, std::uint64_t value) {
  const std::uint32_t operation_number = current_id().number;
  const bool follows_load = last_load_number + 1 == operation_number;
  const bool is_in_spin = lock_spin.last_number + 1 == operation_number;
  if ((!follows_load && !is_in_spin) || loads_in_a_row.size() == loads_max) {
    loads_in_a_row.clear();
  }
  last_load_number = operation_number;
  for (Load& load : loads_in_a_row) {
    if (load.variable != variable) continue;
    const bool has_same_value = std::exchange(load.value, value) == value;
    if (has_same_value) note_idle_operation();  // what is another value is news
    return has_same_value && follows_load;
  }
  note_idle_operation();
  if (!has_room_for_loads()) loads_in_a_row.reserve(loads_max);
  loads_in_a_row.push_back({variable, value});
  return false;
}

void Task::note_lock(ObjectId lock, VirtualTime now) {
  note_idle_operation();
  if (lock_spin.lock == lock) {
    if (lock_spin.rounds++ == 0) lock_spin.since = now;
    lock_spin.others = 0;
  } else if (lock_spin.lock == ObjectId{} || ++lock_spin.others > locks_of_a_round_max) {
    lock_spin.lock = lock;
    lock_spin.others = lock_spin.rounds = 0;
  }
}

void Machine::look_at_pollers() {
  // Whatever a task did between two announcements may be what a poller waits for, unless it was
  // a failed poll itself, or one of the two operations on a lock that are one.
  if (running_->poll_failed || running_->has_spun()) return;
  poll_pause_ = std::chrono::microseconds(1);
  wake_pollers();
}

void Machine::wake_pollers() {
  for (Task* const task : pollers_) {
    // Somebody may have taken what it announced to take, after its poll had failed.
    if (task->waits_on != nullptr && !task->waits_on->is_enabled(*task->pending, task->id)) {
      task->state = TaskState::disabled;
    } else {
      enter_agenda(*task, now_);
    }
  }
  pollers_.clear();
  spinners_return_ = VirtualTime::never();
}

bool Machine::wake_spinners() {
  // They poll, but it may be work that they do: what is due much later does not wait for them, nor
  // they for it.
  if (agenda_.has_open()) return false;
  const VirtualTime next = std::min(agenda_.next_date(), network_event_);
  if (next == VirtualTime::never() || next <= spinners_return_) return false;
  now_ = std::max(now_, spinners_return_);
  wake_pollers();
  return true;
}

bool Machine::wakes_by_itself(const Actor& actor) const {
  if (!options_.spurious_wakeups || actor.type != Actor::Type::operation) return false;
  const Task& task = *actor.task;
  return task.waits_on != nullptr && task.pending->kind == OperationKind::condition_wait &&
         task.waits_on->wakes_by_itself(*task.pending, task.id);
}

bool Machine::only_sleepers_are_left() const {
  const auto wakes_so = [this](const Agenda::Open& one) { return wakes_by_itself(*one.actor); };
  // First: who follows a record says so at once, whatever else there is.
  if (chooser_->lets_sleepers_wake()) return false;
  return pollers_.empty() && !agenda_.has_future() && network_event_ == VirtualTime::never() &&
         std::ranges::all_of(agenda_.open_actors(), wakes_so);
}

bool Machine::sleepers_wait_for_date() {
  // Who follows a record wakes them when it says so.  Otherwise one that looks, and sleeps again,
  // would do so for ever before the first date at which there is something to see.
  if (chooser_->lets_sleepers_wake()) return false;
  const VirtualTime next = std::min(agenda_.next_future_date(), network_event_);
  if (next == VirtualTime::never()) return false;
  bool is_any_early = false;
  for (const Agenda::Open& one : agenda_.open_actors()) {
    if (!wakes_by_itself(*one.actor)) return false;
    is_any_early |= one.actor->date < next;
  }
  // Whoever is moved leaves the list by swapping in the last one: backwards.
  for (std::size_t i = agenda_.open_actors().size(); is_any_early && i-- > 0;) {
    agenda_.update(agenda_.open(i), next);
  }
  return is_any_early;
}

bool Machine::wait_for_polls() {
  // Only polls are left, and nothing will happen by itself.  A loop that polls until a date must
  // still end, so time goes on in longer and longer pauses; a limit ends the others.
  if (pollers_.empty()) return false;
  if (std::ranges::all_of(pollers_, &Task::only_spins)) {
    // What they do may be work, which takes no time, and who looks at a clock makes it go on.
    wake_pollers();
    return true;
  }
  // How often real threads have polled is in the log of their run, and so is what clocks said.
  const bool are_real = constraint_ != nullptr && options_.spurious_wakeups;
  const VirtualDuration pause =
      are_real ? VirtualDuration(std::chrono::nanoseconds(10)) : poll_pause_;
  // Who looks at a clock may wait for a date beyond the limit on time.  For the others nothing will
  // change by then: the limit on steps tells whether they go in circles.
  const VirtualTime latest =
      std::exchange(clock_was_read_, false) ? VirtualTime::never() : std::max(now_, last_date_);
  now_ = std::max(now_, std::min({now_ + pause, spinners_return_, latest}));
  poll_pause_ = std::min(poll_pause_ * 2, VirtualDuration(std::chrono::seconds(1)));
  wake_pollers();
  return true;
}

}  // namespace orrery::detail
