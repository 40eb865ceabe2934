// Waiting for requests, and asking whether they are complete.
#include <algorithm>

#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {

bool MessageSystem::is_satisfied(const SelectSpec& spec) const {
  const auto is_done = [&](RequestHandle handle) { return requests_[handle].complete; };
  const auto is_given = [](RequestHandle handle) { return handle != 0; };
  if (spec.all) {
    return std::ranges::all_of(
        spec.requests, [&](RequestHandle handle) { return !is_given(handle) || is_done(handle); });
  }
  return std::ranges::any_of(
      spec.requests, [&](RequestHandle handle) { return is_given(handle) && is_done(handle); });
}

// So that a completion looks at one request and its waiter, however many the others are.
void MessageSystem::expect_completions(Task& task, const SelectSpec& spec) {
  std::uint32_t incomplete = 0;
  bool is_any_complete = false;
  bool is_counted = true;
  for (const RequestHandle handle : spec.requests) {
    if (handle == 0) continue;
    RequestState& request = requests_[handle];
    if (request.complete) {
      is_any_complete = true;
    } else if (request.waiter == nullptr) {
      request.waiter = &task;
      ++incomplete;
    } else if (request.waiter != &task) {
      is_counted = false;  // two tasks wait for it: this one asks
    }
  }
  task.completions_left = spec.all ? incomplete : (is_any_complete ? 0 : 1);
  if (!is_counted) task.completions_left = Task::not_counted;
}

void MessageSystem::stop_expecting(const Task& task, const SelectSpec& spec) {
  for (const RequestHandle handle : spec.requests) {
    if (handle != 0 && requests_[handle].waiter == &task) requests_[handle].waiter = nullptr;
  }
}

void MessageSystem::count_completion(RequestState& request) {
  std::uint32_t& left = request.waiter->completions_left;
  if (left != 0 && left != Task::not_counted) --left;
  request.waiter = nullptr;
}

bool MessageSystem::has_completions(const Task& task) const {
  if (task.completions_left != Task::not_counted) return task.completions_left == 0;
  return is_satisfied(*static_cast<const SelectSpec*>(task.select));
}

bool MessageSystem::wait(const SelectSpec& spec, VirtualTime deadline, OperationKind kind,
                         const SourceLocation& where) {
  Task& task = machine_.running();
  Mailbox& box = mailbox(running_rank());
  task.select = &spec;
  expect_completions(task, spec);
  Operation operation;
  operation.kind = kind;
  operation.object = box.id();
  operation.value = spec.requests.size() == 1 ? requests_[spec.requests[0]].started_by.packed() : 0;
  operation.deadline = deadline;
  operation.where = &where;
  const bool in_time = machine_.announce(operation, &box);
  task.select = nullptr;
  if (machine_.is_unwinding()) return false;
  if (!in_time || !spec.all) stop_expecting(task, spec);  // of all none is left
  if (!in_time) {
    machine_.told(operation, {}, 0, /*timed_out=*/true);
    return false;
  }
  if (spec.all) {
    for (const RequestHandle handle : spec.requests) {
      if (handle != 0) tell_completed(handle, kind, where);
    }
  }
  return true;
}

bool MessageSystem::test(const SelectSpec& spec, bool must_fail, const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::test;
  operation.object = mailbox(running_rank()).id();
  operation.where = &where;
  machine_.announce(operation);
  if (machine_.is_unwinding()) return false;
  if (must_fail || !is_satisfied(spec)) {
    // How often it fails in a replay is told by the log, and does not wait for anything.
    if (!must_fail) machine_.poll_failed();
    machine_.told(operation);
    return false;
  }
  if (spec.all) {
    for (const RequestHandle handle : spec.requests) {
      if (handle != 0) tell_completed(handle, OperationKind::test, where);
    }
  }
  return true;
}

}  // namespace orrery::detail
