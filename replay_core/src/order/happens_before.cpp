#include "happens_before.hpp"

#include <algorithm>

#include "lock_events.hpp"

namespace orrery::detail {
namespace {

using Kind = OperationKind;

constexpr Kind ordering_kinds[] = {
    Kind::join,
    Kind::read,
    Kind::write,
    Kind::read_modify_write,
    Kind::fence,
    Kind::mutex_lock,
    Kind::mutex_try_lock,
    Kind::mutex_unlock,
    Kind::shared_lock,
    Kind::shared_try_lock,
    Kind::shared_unlock,
    Kind::condition_wait,
    Kind::semaphore_acquire,
    Kind::semaphore_try_acquire,
    Kind::semaphore_release,
    Kind::barrier_arrive,
    Kind::barrier_wait,
    Kind::latch_count_down,
    Kind::latch_wait,
    Kind::once_begin,
    Kind::once_end,
    Kind::send,
    Kind::receive,
    Kind::wait,
    Kind::select,
    Kind::test,
    Kind::probe,
    Kind::try_probe,
    Kind::disk_write,
    Kind::disk_read,
};

bool acquires(MemoryOrder order) {
  return order == MemoryOrder::consume || order == MemoryOrder::acquire ||
         order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst;
}
bool releases(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acq_rel ||
         order == MemoryOrder::seq_cst;
}

}  // namespace

EventMask HappensBefore::interest() {
  EventMask mask = EventMask::tasks();
  for (const Kind kind : ordering_kinds) mask = mask | EventMask::of(kind);
  return mask;
}

void HappensBefore::clear() {
  lives_.clear();
  objects_.clear();
  sends_.clear();
}

HappensBefore::Life& HappensBefore::begin_life(TaskId task) {
  while (lives_.size() <= task.value) {
    const auto next = static_cast<std::uint32_t>(lives_.size());
    lives_.emplace_back().clock.tick(next);
  }
  return lives_[task.value];
}

void HappensBefore::begin_task(TaskId task, std::span<const TaskId> predecessors) {
  VectorClock& clock = life(task).clock;
  for (const TaskId before : predecessors) {
    VectorClock& known = life(before).clock;  // has a lower number: the table does not move
    clock.join(known);
    known.tick(before.value);
  }
}

void HappensBefore::acquire(const Event& event, bool as_writer) {
  const Object& object = objects_.at(event.object);
  VectorClock& clock = life(event.id.task).clock;
  clock.join(object.released);
  if (as_writer) clock.join(object.readers);
}

void HappensBefore::release(const Event& event, ObjectId object) {
  VectorClock& clock = life(event.id.task).clock;
  objects_.at(object).released.join(clock);
  clock.tick(event.id.task.value);
}

void HappensBefore::release_reader(const Event& event) {
  VectorClock& clock = life(event.id.task).clock;
  objects_.at(event.object).readers.join(clock);
  clock.tick(event.id.task.value);
}

void HappensBefore::lock(const Event& event) {
  if (has_got_lock(event)) acquire(event, asks_to_write(event));
}

void HappensBefore::arrive(const Event& event) {
  auto& meetings = objects_.at(event.object).meetings;
  // Who arrives last never waits: of a meeting that is over, one is left inside.
  std::erase_if(meetings, [&](const Meeting& one) {
    return one.number != event.payload_hash && one.inside <= 1;
  });
  auto here = std::ranges::find(meetings, event.payload_hash, &Meeting::number);
  if (here == meetings.end()) {
    meetings.push_back({event.payload_hash, 0, {}});
    here = meetings.end() - 1;
  }
  VectorClock& clock = life(event.id.task).clock;
  here->arrivals.join(clock);
  // Right for the last to arrive; the others do nothing before they leave, and then know more.
  clock.join(here->arrivals);
  clock.tick(event.id.task.value);
  ++here->inside;
}

void HappensBefore::leave(const Event& event) {
  auto& meetings = objects_.at(event.object).meetings;
  const auto here = std::ranges::find(meetings, event.payload_hash, &Meeting::number);
  if (here == meetings.end()) return;
  life(event.id.task).clock.join(here->arrivals);
  --here->inside;
}

// As C++20 has it: a write begins anew what a reader of the variable learns, a read-modify-write
// adds to it.
void HappensBefore::atomic(const Event& event) {
  Life& self = life(event.id.task);
  VectorClock& variable = objects_.at(event.object).released;
  if (event.kind != Kind::write) {
    (acquires(event.order) ? self.clock : self.seen_relaxed).join(variable);
  }
  if (event.kind == Kind::read) return;
  const VectorClock& published = releases(event.order) ? self.clock : self.before_fence;
  if (event.kind == Kind::write) {
    variable = published;
  } else {
    variable.join(published);
  }
  if (releases(event.order)) self.clock.tick(event.id.task.value);
}

void HappensBefore::fence(const Event& event) {
  Life& self = life(event.id.task);
  if (acquires(event.order)) self.clock.join(self.seen_relaxed);
  if (!releases(event.order)) return;
  self.before_fence = self.clock;
  self.clock.tick(event.id.task.value);
}

void HappensBefore::send(const Event& event) {
  VectorClock& clock = life(event.id.task).clock;
  sends_[event.id.packed()] = clock;
  clock.tick(event.id.task.value);
}

void HappensBefore::learn_from(const Event& event) {
  const TaskId other = event.matched.task;
  if (event.matched.number == 0 || other == event.id.task) return;
  const bool is_look = event.kind == Kind::probe || event.kind == Kind::try_probe;
  const auto sent = event.kind != Kind::join ? sends_.find(event.matched.packed()) : sends_.end();
  if (sent != sends_.end()) {
    life(event.id.task).clock.join(sent->second);
    if (!is_look) sends_.erase(sent);
    return;
  }
  // A task that has ended; or a synchronous send, which is done when its receive has begun: all
  // that the receiver has done by now is ordered before it, which may be too much.
  life(std::max(other, event.id.task));  // so that the table does not move below
  VectorClock& known = life(other).clock;
  life(event.id.task).clock.join(known);
  known.tick(other.value);
}

void HappensBefore::apply(const Event& event) {
  switch (event.kind) {
    case Kind::join:
    case Kind::receive:
    case Kind::wait:
    case Kind::select:
    case Kind::test:
    case Kind::probe:
    case Kind::try_probe: return learn_from(event);
    case Kind::send: return send(event);
    case Kind::read:
    case Kind::write:
    case Kind::read_modify_write: return atomic(event);
    case Kind::fence: return fence(event);
    case Kind::mutex_lock:
    case Kind::mutex_try_lock:
    case Kind::shared_lock:
    case Kind::shared_try_lock:
    case Kind::semaphore_acquire:
    case Kind::semaphore_try_acquire: return lock(event);
    case Kind::shared_unlock: return release_reader(event);
    case Kind::condition_wait:
      if (event.gives_up != ObjectId{}) release(event, event.gives_up);
      return;
    case Kind::barrier_arrive: return arrive(event);
    case Kind::barrier_wait: return leave(event);
    case Kind::latch_wait:
    case Kind::once_begin:
    case Kind::disk_read: return acquire(event, false);
    case Kind::mutex_unlock:
    case Kind::semaphore_release:
    case Kind::latch_count_down:
    case Kind::once_end:
    case Kind::disk_write: return release(event, event.object);
    default: return;
  }
}

}  // namespace orrery::detail
