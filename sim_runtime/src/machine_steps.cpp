// From one step to the next: a task announces, a question is asked, somebody goes on.
#include <algorithm>
#include <cerrno>

#include <cxxabi.h>

#include <orrery/network_model/usage_error.hpp>

#include "careful_access.hpp"
#include "machine.hpp"

namespace orrery::detail {
namespace {

/// Asks for memory that will be read soon.  Inlined always: gcc takes a function that does nothing
/// else for one without effect, and drops its calls.
[[gnu::always_inline]] inline void fetch(const void* near, std::ptrdiff_t first,
                                         std::ptrdiff_t end) {
  constexpr std::ptrdiff_t line_bytes = 64;
  for (; first < end; first += line_bytes) {
    __builtin_prefetch(static_cast<const std::byte*>(near) + first);
  }
}

/// A task that goes on: what is known of it, and its stack from the switch up to the announcement.
[[gnu::always_inline]] inline void fetch_task(const Agenda::Open& open) {
  fetch(open.announced, -64, 0);
  fetch(open.actor, 0, Task::hot_bytes);
  fetch(open.announced, -384, 192);
}

/// Its fiber, and where Boost 1.74 keeps the stack pointer (if it moves: a miss, no more).
[[gnu::always_inline]] inline void fetch_fiber(const Task& task) {
  constexpr std::ptrdiff_t stack_pointer_offset = 208;
  fetch(task.fiber, 0, 1);
  fetch(task.fiber_record, stack_pointer_offset, stack_pointer_offset + 1);
}

}  // namespace

// --- announcing -------------------------------------------------------------------------------

bool Machine::announce(const Operation& operation, SynchronizationObject* object) {
  if (unwinding_ || running_ == nullptr) {
    leave_if_possible(operation.kind);
    return true;
  }
  checkpoints_.is_coming(operation.kind);
  Task& task = *running_;
  task.begin_operation(operation);
  task.timed_out = false;
  const bool enabled = object == nullptr || object->is_enabled(operation, task.id);
  if (enabled && may_go_on()) {
    count_step();
    if (wants_steps_)
      tell_step(
          {task.current_id(), task.current_id(), operation.object, operation.kind, /*weight=*/1});
    return true;
  }
  return park(task, object, enabled, now_);
}

void Machine::stop_before(const Operation& access) {
  if (unwinding_ || running_ == nullptr) return leave_if_possible(access.kind);
  Task& task = *running_;
  task.pending = &access;
  task.timed_out = false;
  park(task, nullptr, true, now_);
}

void Machine::announce_at(const Operation& operation, VirtualTime ready) {
  if (unwinding_ || running_ == nullptr) return leave_if_possible(operation.kind);
  checkpoints_.is_coming(operation.kind);
  Task& task = *running_;
  task.begin_operation(operation);
  task.timed_out = false;
  park(task, nullptr, true, std::max(ready, now_));
}

bool Machine::sleep_on(SynchronizationObject& object, VirtualTime deadline) {
  Task& task = *running_;
  task.own_operation = *task.pending;
  task.own_operation.deadline = deadline;
  task.pending = &task.own_operation;
  task.timed_out = false;
  return park(task, &object, object.is_enabled(*task.pending, task.id), now_);
}

/// Until when a spinner lets others go on that has spun since then.
static VirtualTime end_of_pause(VirtualTime since, VirtualTime now) {
  // A round takes a moment, or a small part of what all of them have taken: so a wait for a second
  // takes some thousand rounds, and as many rounds of work take milliseconds.
  constexpr std::int64_t parts = 1'000;
  const VirtualDuration so_far = now - since;
  const auto part = VirtualDuration::from_picoseconds(so_far.picoseconds() / parts);
  return now + std::max<VirtualDuration>(std::chrono::microseconds(1), part);
}

bool Machine::park(Task& task, SynchronizationObject* object, bool enabled, VirtualTime ready) {
  last_ran_ = &task;
  step_is_over();
  if (!booted_.empty()) start_booted();
  if (object != nullptr) link(task, *object);
  if (task.pending->deadline != VirtualTime::never()) set_deadline(task);
  if (!enabled) {
    task.state = TaskState::disabled;
  } else if (task.poll_failed) {
    task.state = TaskState::polling;
    pollers_.push_back(&task);
    if (task.only_spins) {
      spinners_return_ = std::min(spinners_return_, end_of_pause(task.lock_spin.since, now_));
    }
  } else {
    enter_agenda(task, ready);
  }
  if (task.ends_waits) interrupt(task.id);
  Task* const next = choose_next();
  task.poll_failed = false;
  if (next != &task) switch_from(&task, next);
  if (unwinding_) leave_if_possible(task.pending->kind);
  if (task.timed_out) task.has_ended_wait = task.ends_waits;
  return !task.timed_out;
}

void Machine::leave_if_possible(OperationKind kind) {
  // The run is over and this task is not.  Destructors must not throw: neither those that run
  // because of an exception, nor those of guards and handles, which do one of these operations.
  if (running_ == nullptr) return;
  const bool may_be_in_destructor =
      kind == OperationKind::mutex_unlock || kind == OperationKind::shared_unlock ||
      kind == OperationKind::semaphore_release || kind == OperationKind::once_end ||
      kind == OperationKind::join || kind == OperationKind::condition_notify;
  const bool abandons = running_->unwinding == Unwinding::abandon;
  if (abandons || (!may_be_in_destructor && std::uncaught_exceptions() == 0)) leave_task();
}

void Machine::enter_agenda(Task& task, VirtualTime ready) {
  if (__builtin_expect(is_withheld(task), 0)) return;
  task.state = ready > now_ ? TaskState::sleeping : TaskState::enabled;
  // Field by field, straight to where they stay: a temporary would be stored in narrow pieces and
  // loaded in wide ones, which have to wait until those have reached the cache.
  Alternative& alternative = task.operation_actor.alternative;
  alternative.id = alternative.asker = task.current_id();
  alternative.object = task.pending->object;
  alternative.kind = task.pending->kind;
  alternative.weight = 1;
  alternative.is_unshared = task.pending->is_unshared;
  task.operation_actor.announced = task.pending;
  agenda_.add(task.operation_actor, ready);
}

void Machine::set_deadline(Task& task) {
  task.deadline_actor.alternative = {task.current_id(), task.current_id(), task.pending->object,
                                     OperationKind::timeout, /*weight=*/1};
  agenda_.add(task.deadline_actor, std::max(task.pending->deadline, now_));
}

void Machine::link(Task& task, SynchronizationObject& object) {
  task.waits_on = &object;
  task.previous_waiter = nullptr;
  task.next_waiter = object.first_waiter_;
  task.waiter_ahead = &task;
  task.links_ahead = 0;
  if (Task* const next = task.next_waiter; next != nullptr) {
    constexpr std::uint32_t links_ahead_max = 8;
    next->previous_waiter = &task;
    const bool is_far = next->links_ahead == links_ahead_max;
    const Task* const nearer = is_far ? next->waiter_ahead->previous_waiter : nullptr;
    task.waiter_ahead = nearer != nullptr ? nearer : next->waiter_ahead;
    task.links_ahead = is_far ? links_ahead_max : next->links_ahead + 1;
  }
  object.first_waiter_ = &task;
}

void Machine::unlink(Task& task) {
  if (task.previous_waiter != nullptr) {
    task.previous_waiter->next_waiter = task.next_waiter;
  } else {
    task.waits_on->first_waiter_ = task.next_waiter;
  }
  if (task.next_waiter != nullptr) task.next_waiter->previous_waiter = task.previous_waiter;
  task.waits_on = nullptr;
}

// --- choosing ---------------------------------------------------------------------------------

Task* Machine::choose_next() {
  // Steps of the machine's own (deliveries, transfers) are taken right here; a task's step is
  // taken by the task.  Null: back to the host.
  while (Actor* const actor = choose_actor()) {
    if (Task* const task = take(*actor)) return task;
  }
  return nullptr;
}

[[gnu::always_inline]] inline Actor* Machine::choose_actor() {
  if (over_) return nullptr;
  if (constraint_ != nullptr) {
    if (messages_->has_withheld()) messages_->readmit();
    if (agenda_.has_withheld()) agenda_.readmit(now_);
  }
  while (true) {
    if (spinners_come_first()) continue;
    if (agenda_.refill()) {
      // In the timed simulation all open ones have one date; with a window the network follows
      // behind whatever is taken.
      const bool is_due =
          options_.window == VirtualDuration::zero() && network_event_ <= agenda_.open(0).date;
      if (is_due) {
        messages_->advance_network(network_event_);
        continue;
      }
      if (__builtin_expect(!options_.spurious_wakeups, 1)) break;
      if (sleepers_wait_for_date()) continue;
      if (!only_sleepers_are_left()) break;
      if (has_nothing_to_come()) return nullptr;
    } else if (network_event_ != VirtualTime::never()) {
      messages_->advance_network(network_event_);
    } else if (wait_for_polls() || bring_messages_in()) {
      continue;
    } else if (has_nothing_to_come()) {
      return nullptr;
    }
  }
  if (step_ + 1 >= attention_step_ && look_up()) return nullptr;
  ++step_;
  questions_in_step_ = 0;
  const auto alternatives = agenda_.alternatives();
  const std::size_t index = alternatives.size() == 1 ? 0 : ask_step(alternatives);
  if (over_) return nullptr;
  Actor& actor = agenda_.open(index);
  if (actor.date > last_date_ || now_ > last_date_) {
    stop_at_limit(Limit::virtual_time);
    return nullptr;
  }
  return &actor;
}

[[gnu::always_inline]] inline std::size_t Machine::ask_step(
    std::span<const Alternative> alternatives) {
  const Task& last = *last_ran_;
  // Who sleeps, be it until a later date, has given up its turn by itself.
  const Actor& next_of_last = last.operation_actor;
  const bool can_go_on = next_of_last.place == Actor::Place::open && next_of_last.date <= now_ &&
                         !wakes_by_itself(next_of_last);
  // What a structure is assigned is there as a whole.  (Who admits steps knows what he lets come
  // in between.)
  const bool is_assigning = can_go_on && next_of_last.announced->is_source_of_write;
  if (is_assigning && constraint_ == nullptr) return next_of_last.slot;
  const ChoicePoint point{.kind = ChoiceKind::step,
                          .asker = last_step_,
                          .alternatives = alternatives,
                          .current = last.id,
                          .current_is_enabled = can_go_on,
                          .current_has_yielded = last.poll_failed,
                          .step = step_,
                          .question = last_step_.packed() << 4U | last_step_salt_,
                          .now = now_,
                          .pending = *this};
  const std::size_t index = ask(point);
  if (tasks_used_ > warm_tasks_max) fetch_task(agenda_.open_actors()[index]);
  const Actor& taken = agenda_.open(index);
  const bool runs_a_task = taken.type <= Actor::Type::deadline;
  // Without a branch: who is taken is hard to guess for a processor.
  const bool is_other = taken.task != &last;
  outcome_.preemptions += static_cast<std::uint64_t>(can_go_on & runs_a_task & is_other);
  return index;
}

void Machine::tell_choice(const ChoicePoint& point, std::size_t index) {
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(EventMask::choices())) observer->on_choice(point, index);
  }
}

[[gnu::always_inline]] inline std::size_t Machine::ask(const ChoicePoint& point) {
  ++outcome_.questions;
  const auto count = point.alternatives.size();
  try {
    const Decision decision = chooser_->choose(point);
    if (decision.abandon_run) {
      stop(Outcome::Status::abandoned);
      return 0;
    }
    ensure(decision.index < count, "a chooser takes one of the alternatives",
           static_cast<long long>(decision.index), static_cast<long long>(count));
    if (wants_choices_) tell_choice(point, decision.index);
    return decision.index;
  } catch (...) {
    // A chooser's own trouble: it goes to whoever called `run`, not through the program.
    escaped_ = std::current_exception();
    stop(Outcome::Status::abandoned);
    return 0;
  }
}

[[gnu::always_inline]] inline Task* Machine::take(Actor& actor) {
  now_ = std::max(now_, actor.date);
  // Before it is taken out: the network may revise the date of the very message that is delivered.
  while (network_event_ <= now_) messages_->advance_network(network_event_);
  agenda_.remove(actor);
  last_step_ = actor.alternative.id;
  // Who was asleep within an operation has had a step of that id before.
  const bool was_asleep = actor.type <= Actor::Type::deadline &&
                          actor.task->pending == &actor.task->own_operation &&
                          actor.task->pending->kind != OperationKind::task_start;
  last_step_salt_ = static_cast<std::uint64_t>(actor.type) | (was_asleep ? 8U : 0U);
  if (constraint_ != nullptr) constraint_->took(actor.alternative);
  if (wants_steps_) tell_step(actor.alternative);
  if (step_ >= ring_start_) remember_step(actor);
  if (actor.type > Actor::Type::deadline) {
    const std::uint32_t owner = actor.owner;
    if (actor.type == Actor::Type::delivery) {
      messages_->deliver(owner);
    } else if (actor.type == Actor::Type::transfer) {
      messages_->transfer_arrived(owner);
    } else {
      faults_.recover(owner);
    }
    poll_pause_ = std::chrono::microseconds(1);
    wake_pollers();
    return nullptr;
  }
  Task& task = *actor.task;
  if (tasks_used_ > warm_tasks_max) fetch_fiber(task);
  task.timed_out = actor.type == Actor::Type::deadline;
  Actor& other = task.timed_out ? task.operation_actor : task.deadline_actor;
  if (other.place != Actor::Place::nowhere) agenda_.remove(other);
  if (task.state == TaskState::polling) std::erase(pollers_, &task);
  if (task.waits_on != nullptr) unlink(task);
  return &task;
}

bool Machine::look_up() {
  // Something rare is due: a limit, a pause, a look at the clock on the wall.
  if (pause_requested_ || (should_pause_ && should_pause_())) {
    pause_requested_ = false;
    paused_ = true;
    return true;
  }
  if (step_ >= options_.step_limit) {
    stop_at_limit(Limit::steps);
    return true;
  }
  if (is_wall_time_up()) {
    stop_at_limit(Limit::wall_time);
    return true;
  }
  set_attention();
  return false;
}

void Machine::set_attention() {
  constexpr std::uint64_t steps_between_looks = 4096;
  attention_step_ = std::min(step_ + steps_between_looks, ring_start_);
  if (step_ >= ring_start_ || should_pause_ || pause_requested_) attention_step_ = step_ + 1;
}

/// What it writes.  Of a plain access of an unchanged program nobody knows that: what lies there
/// before it, which moves on where the program does.
static std::uint64_t value_that_moves(const Task& task) {
  constexpr std::uintptr_t word_bytes = 8;
  if (task.access_words == 0 || task.pending->order != MemoryOrder::plain) {
    return task.pending->value;
  }
  const std::uintptr_t word = task.access_begin / word_bytes * word_bytes;
  return careful_load(reinterpret_cast<const void*>(word), word_bytes);
}

void Machine::remember_step(const Actor& actor) {
  const bool is_task = actor.type <= Actor::Type::deadline;
  const Task& task = is_task ? *actor.task : tasks_[actor.alternative.id.task.value];
  const Operation& operation = *task.pending;
  ring_.push({actor.alternative.id.task, actor.alternative.kind, actor.alternative.object,
              is_task ? value_that_moves(task) : 0,
              is_task && operation.where != nullptr ? *operation.where : SourceLocation{}});
}

// --- other questions --------------------------------------------------------------------------

std::size_t Machine::choose(ChoiceKind kind, std::span<const Alternative> alternatives) {
  if (alternatives.size() == 1) return 0;
  return ask(question(kind, alternatives));
}

// --- switching and telling --------------------------------------------------------------------

Fiber& Machine::hand_over(Task* from, Task* to) {
  // What the C library and the compiler keep per thread belongs to the task.
  auto& saved = from != nullptr ? from->saved : host_state_;
  saved.error = *errno_location_;
  saved.exceptions[0] = exception_globals_[0];
  saved.exceptions[1] = exception_globals_[1];
  running_ = to;
  if (progress_ != nullptr) leave_progress();
  if (to != nullptr && to->fiber == nullptr) start_fiber(*to);
  const auto& restored = to != nullptr ? to->saved : host_state_;
  exception_globals_[0] = restored.exceptions[0];
  exception_globals_[1] = restored.exceptions[1];
  *errno_location_ = restored.error;
  return to != nullptr ? *to->fiber : fibers_.host();
}

void Machine::switch_from(Task* from, Task* to) {
  Fiber& source = from != nullptr ? *from->fiber : fibers_.host();
  fibers_.switch_to(source, hand_over(from, to));
  while (visit_ != nullptr) answer_visit(from);
}

void Machine::tell_step(const Alternative& taken) {
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(EventMask::steps())) observer->on_step(taken);
  }
}

void Machine::tell_operation(const Operation& operation, OperationId matched,
                             std::uint64_t payload_hash, bool timed_out) {
  Event event;
  event.id = running_->current_id();
  event.kind = operation.kind;
  event.timed_out = timed_out;
  event.object = operation.object;
  event.matched = matched;
  event.payload_hash = payload_hash;
  event.peer = operation.peer;
  event.tag = operation.tag;
  event.where = operation.where;
  if (operation.kind == OperationKind::output) event.size_bytes = operation.value;
  tell(event);
}

void Machine::tell_matching(const MatchingStep& step) const {
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(EventMask::matching())) observer->on_matching(step);
  }
}

void Machine::tell_outcome(OperationKind kind, const OpenOutcome& outcome) {
  for (const auto& [observer, interest] : observers_) {
    if (!interest.has_any(EventMask::outcomes())) continue;
    observer->on_outcome(running_->current_id(), kind, outcome);
  }
}

void Machine::tell(Event& event) {
  event.time = now_;
  event.step = step_;
  for (const auto& [observer, interest] : observers_) {
    if (interest.has(event.kind)) observer->on_event(event);
  }
}

}  // namespace orrery::detail
