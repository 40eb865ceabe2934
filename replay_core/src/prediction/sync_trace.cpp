#include "sync_trace.hpp"

#include <algorithm>

#include "order/lock_events.hpp"

namespace orrery::detail {

using TraceKind = TraceEvent::Kind;

EventMask SyncTrace::interest() const {
  return OrderWithoutLocks::interest() | EventMask::all_events() | EventMask::tasks() |
         EventMask::steps() | EventMask::accesses();
}

void SyncTrace::clear() {
  tasks_.clear();
  needs_.clear();
  event_count_ = 0;
  now_ = 0;
  order_.clear();
  epoch_ends_.clear();
  known_.clear();
  known_counts_ = 0;
  operations_.clear();
  stretches_.clear();
  lock_numbers_.clear();
  holds_.clear();
  atomics_.clear();
  words_.clear();
  last_writes_.clear();
  accesses_.clear();
  variables_.clear();
  variable_words_.clear();
  variable_addresses_.clear();
  places_.clear();
}

LargeVector<TraceEvent>& SyncTrace::task_at(TaskId task) {
  if (task.value >= tasks_.size()) {
    tasks_.resize(std::size_t{task.value} + 1);
    epoch_ends_.resize(tasks_.size());
    known_.resize(tasks_.size(), std::vector<std::vector<std::uint32_t>>(1));
    operations_.resize(tasks_.size());
    stretches_.resize(tasks_.size());
  }
  return tasks_[task.value];
}

TraceEvent& SyncTrace::add(TaskId task, TraceKind kind, std::uint32_t operation) {
  TraceEvent& event = task_at(task).emplace_back();
  event.kind = kind;
  event.operation = operation;
  event.when = ++now_;
  event.knows = static_cast<std::uint32_t>(known_[task.value].size() - 1);
  event.first_need = static_cast<std::uint32_t>(needs_.size());
  ++event_count_;
  return event;
}

void SyncTrace::need(TraceEvent& event, TraceRef ref) {
  needs_.push_back(ref);
  ++event.needs;
}

ObjectId SyncTrace::variable_at(Address address) const {
  return address < first_variable ? ObjectId{}
                                  : variables_[(address - first_variable) / word_bytes];
}

// --- synchronisation ---------------------------------------------------------------------------

/// An epoch that has ended is as long as it was then, whatever its task does further.
void SyncTrace::note_epochs(std::uint32_t task) {
  const std::uint32_t clock = order_.clock(TaskId{task}).of(task);
  std::vector<std::uint32_t>& ends = epoch_ends_[task];
  while (ends.size() + 1 < clock) ends.push_back(static_cast<std::uint32_t>(tasks_[task].size()));
}

void SyncTrace::learn(TaskId task, std::span<const std::uint32_t> counts) {
  std::vector<std::vector<std::uint32_t>>& known = known_[task.value];
  std::vector<std::uint32_t> now = known.back();
  now.resize(std::max(now.size(), counts.size()));
  for (std::size_t i = 0; i < counts.size(); ++i) now[i] = std::max(now[i], counts[i]);
  if (now == known.back() || known_counts_ > known_counts_max) return;
  known_counts_ += now.size();
  known.push_back(std::move(now));
}

bool SyncTrace::always_follows(TraceRef later, TraceRef earlier) const {
  const std::vector<std::uint32_t>& known = known_[later.task][at(later).knows];
  return earlier.task < known.size() && known[earlier.task] > earlier.index;
}

/// The operation that starts a task is told when it is over, which is after the task has begun.
void SyncTrace::note_operation_under_way(TaskId task) {
  const LargeVector<TraceEvent>& events = task_at(task);
  const std::uint32_t operation = operations_[task.value];
  const std::uint32_t told = events.empty() ? 0 : events.back().operation;
  if (told < operation) add(task, TraceKind::other, operation);
}

void SyncTrace::on_task(TaskId task, std::span<const TaskId> predecessors) {
  for (const TaskId before : predecessors) note_operation_under_way(before);
  TraceEvent& event = add(task, TraceKind::other, 0);
  for (const TaskId before : predecessors) {
    const auto count = static_cast<std::uint32_t>(task_at(before).size());
    if (count > 0) need(event, {before.value, count - 1});
    std::vector<std::uint32_t> known = known_[before.value].back();
    if (known.size() <= before.value) known.resize(std::size_t{before.value} + 1);
    known[before.value] = count;
    learn(task, known);
  }
  order_.begin_task(task, predecessors);
  for (const TaskId before : predecessors) note_epochs(before.value);
}

void SyncTrace::on_event(const Event& event) {
  if (event_count_ >= events_max) return;
  const TaskId task = event.id.task;
  const bool is_access = event.kind == OperationKind::read || event.kind == OperationKind::write;
  if (is_access && event.order == MemoryOrder::plain) {
    const auto [found, is_new] = variable_addresses_.try_emplace(
        event.object, first_variable + word_bytes * variables_.size());
    if (is_new) variables_.push_back(event.object);
    return access(task, found->second, 1, event.kind == OperationKind::write,
                  places_.number_of(event.where), event.id.number);
  }
  // Of a delivery the id is the send's.
  if (!is_machine_step(event.kind)) synchronise(event);
}

void SyncTrace::on_step(const Alternative& taken) {
  if (is_machine_step(taken.kind)) return;
  task_at(taken.id.task);
  operations_[taken.id.task.value] = taken.id.number;
}

void SyncTrace::synchronise(const Event& event) {
  const TaskId task = event.id.task;
  task_at(task);
  switch (event.kind) {
    case OperationKind::mutex_lock:
    case OperationKind::mutex_try_lock:
      if (has_got_lock(event)) lock(event, false);
      break;
    case OperationKind::shared_lock:
    case OperationKind::shared_try_lock:
      if (has_got_lock(event)) lock(event, true);
      break;
    case OperationKind::mutex_unlock:
    case OperationKind::shared_unlock: unlock(task, event.object, event.id.number); break;
    case OperationKind::condition_wait:
      if (event.gives_up != ObjectId{}) unlock(task, event.gives_up, event.id.number);
      break;
    default: add(task, TraceKind::other, event.id.number);
  }
  if (tasks_[task.value].empty()) add(task, TraceKind::other, event.id.number);
  stretches_[task.value] = static_cast<std::uint32_t>(tasks_[task.value].size());
  // What of other tasks it knows now and did not know before.
  const VectorClock before = order_.clock(task);
  order_.apply(event);
  TraceEvent& done = tasks_[task.value].back();
  if (done.needs == 0) done.first_need = static_cast<std::uint32_t>(needs_.size());
  std::vector<std::uint32_t> counts(tasks_.size());
  for (std::uint32_t other = 0; other < tasks_.size(); ++other) {
    const std::uint32_t known = order_.clock(task).of(other);
    if (other == task.value || known <= before.of(other)) continue;
    const auto& ends = epoch_ends_[other];
    const std::size_t count = known <= ends.size() ? ends[known - 1] : tasks_[other].size();
    counts[other] = static_cast<std::uint32_t>(count);
    if (count > 0) need(done, {other, counts[other] - 1});
  }
  learn(task, counts);
  // A relaxed read sees what somebody wrote, too, though it learns nothing else of it.
  const bool is_atomic = event.kind == OperationKind::read || event.kind == OperationKind::write ||
                         event.kind == OperationKind::read_modify_write;
  if (is_atomic) {
    const auto last = atomics_.find(event.object);
    const bool reads = event.kind != OperationKind::write;
    if (reads && last != atomics_.end() && last->second.task != task.value) {
      need(done, last->second);
    }
    if (event.kind != OperationKind::read) {
      atomics_[event.object] = {task.value,
                                static_cast<std::uint32_t>(tasks_[task.value].size() - 1)};
    }
  }
  note_epochs(task.value);
  if (event.matched.number != 0 && event.matched.task.value < tasks_.size()) {
    note_epochs(event.matched.task.value);
  }
}

std::uint32_t SyncTrace::number_of_lock(ObjectId lock) {
  return lock_numbers_.try_emplace(lock, static_cast<std::uint32_t>(lock_numbers_.size()))
      .first->second;
}

void SyncTrace::lock(const Event& event, bool shared) {
  const TaskId task = event.id.task;
  Hold& hold = holds_[{task, event.object}];
  if (hold.count++ > 0) {
    add(task, TraceKind::other, event.id.number);
    return;
  }
  TraceEvent& done =
      add(task, shared ? TraceKind::acquire_shared : TraceKind::acquire, event.id.number);
  done.lock = number_of_lock(event.object);
  hold.acquire = static_cast<std::uint32_t>(tasks_[task.value].size() - 1);
}

void SyncTrace::unlock(TaskId task, ObjectId lock, std::uint32_t operation) {
  const auto hold = holds_.find({task, lock});
  if (hold == holds_.end() || --hold->second.count > 0) {
    add(task, TraceKind::other, operation);
    return;
  }
  TraceEvent& done = add(task, TraceKind::release, operation);
  done.lock = number_of_lock(lock);
  tasks_[task.value][hold->second.acquire].release =
      static_cast<std::uint32_t>(tasks_[task.value].size() - 1);
  holds_.erase(hold);
}

// --- accesses ----------------------------------------------------------------------------------

void SyncTrace::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  if (event_count_ >= events_max) return;
  task_at(task);
  for (const MemoryAccess& one : accesses) {
    access(task, one.address(), one.size_bytes(), one.kind() == AccessKind::write,
           places_.number_of(one.counter()), operations_[task.value]);
  }
}

void SyncTrace::access(TaskId task, Address address, std::uint32_t size_bytes, bool writes,
                       PlaceNumber place, std::uint32_t operation) {
  TraceEvent& event = add(task, writes ? TraceKind::write : TraceKind::read, operation);
  event.place = place;
  event.address = address;
  event.size_bytes = size_bytes;
  const auto index = static_cast<std::uint32_t>(tasks_[task.value].size() - 1);
  for (Address from = address; from < address + size_bytes;) {
    const Address behind = std::min((from / word_bytes + 1) * word_bytes, address + size_bytes);
    access_word(task, index, from, behind);
    from = behind;
  }
}

std::uint32_t SyncTrace::word_at(Address address) {
  const bool is_variable = address >= first_variable;
  if (is_variable) variable_words_.resize(variables_.size());
  std::uint32_t& number =
      is_variable ? variable_words_[(address - first_variable) / word_bytes] : words_.at(address);
  if (number == 0) {
    accesses_.emplace_back();
    last_writes_.emplace_back();
    number = static_cast<std::uint32_t>(accesses_.size());
  }
  return number - 1;
}

void SyncTrace::access_word(TaskId task, std::uint32_t index, Address first, Address last) {
  const std::uint32_t word = word_at(first);
  TraceEvent& event = tasks_[task.value][index];
  LastWrites& writes = last_writes_[word];
  for (Address byte = first; byte < last; ++byte) {
    const std::size_t i = byte % word_bytes;
    if (event.kind == TraceKind::write) {
      writes.of[i] = {task.value, index};
      writes.are_known[i] = true;
    } else if (writes.are_known[i] && writes.of[i].task != task.value) {
      const bool is_repeated = event.needs > 0 && needs_.back() == writes.of[i];
      if (!is_repeated) need(event, writes.of[i]);
    }
  }
  std::vector<TraceRef>& accesses = accesses_[word];
  std::size_t looked_at = 0;
  for (auto ref = accesses.rbegin(); ref != accesses.rend(); ++ref) {
    if (++looked_at > repetition_distance_max) break;
    if (ref->task != task.value) continue;
    if (ref->index < stretches_[task.value]) break;
    const TraceEvent& one = at(*ref);
    if (one.place == event.place && one.kind == event.kind && one.address == event.address) return;
  }
  accesses.push_back({task.value, index});
}

void SyncTrace::on_freed(Address address, std::uint64_t size_bytes) {
  // What is there from now on is something else.
  words_.for_each_in((address + word_bytes - 1) / word_bytes * word_bytes,
                     (address + size_bytes) / word_bytes * word_bytes,
                     [](std::uint32_t& number) { number = 0; });
}

}  // namespace orrery::detail
