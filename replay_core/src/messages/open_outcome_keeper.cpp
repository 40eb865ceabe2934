#include "open_outcome_keeper.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <orrery/sim_runtime/names.hpp>

namespace orrery::detail {
namespace {

/// Tasks that use one of these together have an order that no message tells.
constexpr OperationKind shared_kinds[] = {OperationKind::read,
                                          OperationKind::write,
                                          OperationKind::read_modify_write,
                                          OperationKind::mutex_lock,
                                          OperationKind::mutex_try_lock,
                                          OperationKind::shared_lock,
                                          OperationKind::shared_try_lock,
                                          OperationKind::condition_wait,
                                          OperationKind::semaphore_acquire,
                                          OperationKind::semaphore_try_acquire,
                                          OperationKind::barrier_arrive,
                                          OperationKind::latch_count_down,
                                          OperationKind::latch_wait,
                                          OperationKind::once_begin};

template <typename Element>
Element& at_grown(std::vector<Element>& elements, std::size_t index) {
  if (index >= elements.size()) elements.resize(index + 1);
  return elements[index];
}

}  // namespace

EventMask OpenOutcomeKeeper::interest() {
  EventMask mask = EventMask::outcomes() | EventMask::choices() | EventMask::matching() |
                   EventMask::steps() | EventMask::of(OperationKind::deliver);
  for (const OperationKind kind : shared_kinds) mask = mask | EventMask::of(kind);
  return mask;
}

void OpenOutcomeKeeper::clear(const Names* names) {
  *this = {};
  names_ = names;
}

OpenCalls& OpenOutcomeKeeper::calls_of(TaskId task) {
  OpenCalls& calls = at_grown(calls_, task.value);
  calls.task = task;
  return calls;
}

void OpenOutcomeKeeper::on_outcome(OperationId id, OperationKind kind, const OpenOutcome& outcome) {
  OpenCalls& calls = calls_of(id.task);
  const bool is_wait = kind == OperationKind::wait || kind == OperationKind::select;
  if (kind == OperationKind::cancel) {
    calls.cancellations.push_back(outcome.succeeded);
    return;
  }
  if (!is_wait) {
    if (!outcome.succeeded) {
      ++calls.last_failed_polls;
      return;
    }
    calls.failed_polls.push_back(calls.last_failed_polls);
    calls.last_failed_polls = 0;
  }
  if (is_wait || outcome.among > 1) {
    calls.selections.push_back({outcome.among, {outcome.reported.begin(), outcome.reported.end()}});
  }
  // Which ones it reports has been asked as a choice as well: once is enough.
  answers_.drop(id);
}

void OpenOutcomeKeeper::on_step(const Alternative& taken) {
  if (is_machine_step(taken.kind)) return;
  at_grown(operations_, taken.id.task.value) = taken.id.number;
}

void OpenOutcomeKeeper::on_event(const Event& event) {
  if (event.kind != OperationKind::deliver) return note_shared_object(event);
  if (const std::optional<TaskId> task = tasks_.end_call(event.id)) {
    remote_calls_.push_back({event.id, *task, at_grown(operations_, task->value)});
  }
}

void OpenOutcomeKeeper::note_shared_object(const Event& event) {
  if (!blind_spot_.empty()) return;
  const auto [user, is_first] = users_.try_emplace(event.object.packed(), event.id.task);
  if (is_first || user->second == event.id.task) return;
  blind_spot_ = fmt::format("{} and {} both use {}", names_->task(user->second),
                            names_->task(event.id.task), names_->object(event.object));
}

MessageRecords OpenOutcomeKeeper::records() const {
  MessageRecords records;
  for (const OpenCalls& calls : calls_) {
    if (!calls.is_empty()) records.calls.push_back(calls);
  }
  answers_.add_to(records);
  records.remote_calls = remote_calls_;
  std::ranges::stable_sort(records.remote_calls, {}, &RemoteCall::task);
  return records;
}

}  // namespace orrery::detail
