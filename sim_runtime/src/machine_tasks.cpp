// Tasks, processes and the names of things.
#include <exception>
#include <typeinfo>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "address_sanitizer.hpp"
#include "machine.hpp"
#include "mix.hpp"

namespace orrery::detail {

bool TaskEnds::is_enabled(const Operation& operation, TaskId) const {
  return machine_->has_ended(TaskId{static_cast<std::uint32_t>(operation.value)});
}

void TaskEnds::renew() {
  id_ = machine_->name_object("tasks", {});
}

SynchronizationObject::SynchronizationObject(Machine& machine, const char* type,
                                             std::string_view name)
    : machine_(&machine), id_(machine.name_object(type, name)) {}

ObjectId Machine::name_object(const char* type, std::string_view name) {
  // Numbered per creator, so that a name does not depend on what others created meanwhile.
  ObjectId id;
  if (running_ != nullptr) {
    id = {running_->id, ++running_->objects_created};
  } else {
    id = {no_task, ++own_objects_};
  }
  object_names_.push_back({id, type, static_cast<std::uint32_t>(name_text_.size()),
                           static_cast<std::uint32_t>(name.size())});
  name_text_ += name;
  return id;
}

Task& Machine::new_task(ProcessId process, std::string name, std::function<void()> body,
                        const SourceLocation& where, Unwinding unwinding) {
  if (outside_ != nullptr) pass_over_tasks();
  if (tasks_used_ == tasks_.size()) tasks_.emplace_back();
  Task& task = tasks_[tasks_used_];
  task.id = TaskId{static_cast<std::uint32_t>(tasks_used_)};
  task.timed_out = false;
  task.poll_failed = false;
  task.detached = task.is_helper = false;
  task.ends_waits = task.has_ended_wait = false;
  task.acts_for_operations = 0;
  task.access_words = 0;
  task.objects_created = 0;
  task.loads_in_a_row.clear();
  task.last_load_number = 0;
  task.lock_spin = {};
  task.waits_on = nullptr;
  task.select = nullptr;
  task.stack_line = nullptr;
  task.fiber = nullptr;
  task.saved = {};
  task.end_operation = {};
  task.awaits_restart = false;
  task.successor = no_task;
  task.held.clear();
  task.operation_actor.type = Actor::Type::operation;
  task.operation_actor.place = Actor::Place::nowhere;
  task.operation_actor.task = &task;
  task.deadline_actor.type = Actor::Type::deadline;
  task.deadline_actor.place = Actor::Place::nowhere;
  task.deadline_actor.task = &task;
  task.bulk_state = mix(options_.seed, mix(options_.run_index, tasks_used_));
  task.process = process;
  task.name = std::move(name);
  task.start_function = 0;
  task.start_number = 0;
  task.start_name.clear();
  task.body = std::move(body);
  task.spawned_at = where;
  task.unwinding = unwinding;
  task.own_operation = {};
  task.own_operation.kind = OperationKind::task_start;
  task.own_operation.object = task_ends_->id();
  task.own_operation.where = &task.spawned_at;
  task.operation_word = std::bit_cast<std::uint64_t>(OperationId{task.id, 0});
  task.begin_operation(task.own_operation);
  task.state = TaskState::disabled;
  ++tasks_used_;
  ++tasks_alive_;
  return task;
}

void Machine::tell_task(const Task& task, std::span<const TaskId> predecessors) {
  if (!wanted_.has_any(EventMask::tasks())) return;
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(EventMask::tasks())) observer->on_task(task.id, predecessors);
  }
}

void Machine::tell_child(const Task& task) {
  if (running_ != nullptr) {
    tell_task(task, {&running_->id, 1});
  } else {
    tell_task(task, {});
  }
}

TaskId Machine::boot(ProcessId process, std::string name, std::function<void()> body,
                     const SourceLocation& where, Unwinding unwinding) {
  if (unwinding_) return {};
  if (faults_.may_crash()) process_at(process).body = body;
  process_at(process).started_at = where;
  Task& task = new_task(process, std::move(name), std::move(body), where, unwinding);
  process_at(process).first_task = task.id;
  booted_.push_back(&task);
  tell_child(task);
  attention_step_ = 0;  // the creator must not take the shortest way past them
  return task.id;
}

void Machine::start_booted() {
  for (Task* const task : booted_) enter_agenda(*task, now_);
  booted_.clear();
}

TaskId Machine::spawn(ProcessId process, std::string name, std::function<void()> body,
                      const SourceLocation& where, Unwinding unwinding,
                      std::uintptr_t start_function) {
  Operation operation;
  operation.kind = OperationKind::spawn;
  operation.object = task_ends_->id();
  operation.where = &where;
  announce(operation);
  if (unwinding_) return {};
  Task& task = new_task(process, std::move(name), std::move(body), where, unwinding);
  if (start_function != 0) name_after(task, start_function);
  tell_child(task);
  operation.value = task.id.value;
  told(operation, {}, task.id.value);
  enter_agenda(task, now_);
  return task.id;
}

VirtualDuration Machine::clock_offset_of(std::uint32_t host) {
  if (!faults_.plan()[FaultKind::clock_skew].is_on) return {};
  for (const Process& other : processes_) {
    if (other.rank >= 0 && other.host == host) return other.clock_offset;
  }
  return faults_.clock_offset();
}

ProcessId Machine::create_process(std::string name, std::optional<std::uint32_t> host) {
  Process process;
  process.id = ProcessId{static_cast<std::uint32_t>(processes_.size())};
  process.rank = static_cast<std::int32_t>(processes_.size()) - 1;
  process.name = std::move(name);
  if (process.rank >= 0) {
    process.host = host ? *host
                        : options_.placement.host_of(static_cast<std::uint32_t>(process.rank),
                                                     messages_->network().host_count());
    process.clock_offset = clock_offset_of(process.host);
    messages_->add_process(process.host);
  }
  processes_.push_back(std::move(process));
  return processes_.back().id;
}

void Machine::compute(VirtualDuration duration, const SourceLocation& where) {
  Operation operation;
  operation.kind = OperationKind::compute;
  operation.where = &where;
  if (unwinding_ || running_ == nullptr) return announce_at(operation, now_);
  const std::uint32_t host = process_at(running_->process).host;
  announce_at(operation, processors_->take(host, now_, duration));
  if (!unwinding_) told(operation);
}

void Machine::compute_flops(std::uint64_t flops, const SourceLocation& where) {
  const std::uint32_t host = running_ == nullptr ? 0 : process_at(running_->process).host;
  compute(processors_->duration_of(host, flops), where);
}

void Machine::linger(VirtualDuration duration) {
  Task& task = *running_;
  task.own_operation = {};
  task.own_operation.kind = OperationKind::compute;
  task.pending = &task.own_operation;
  task.timed_out = false;
  park(task, nullptr, true, processors_->take(process_at(task.process).host, now_, duration));
}

void Machine::finish_process(ProcessId id) {
  Process& process = process_at(id);
  if (process.rank < 0 || process.has_finished) return;
  process.has_finished = true;
  messages_->finalize(process.host);
}

bool Machine::join(TaskId id, const SourceLocation& where, VirtualTime deadline) {
  Operation operation;
  operation.kind = OperationKind::join;
  operation.object = task_ends_->id();
  operation.value = id.value;
  operation.deadline = deadline;
  operation.where = &where;
  if (!unwinding_ && running_ != nullptr && running_->id == id) {
    fail_here(FindingKind::deadlock, "a thread joins itself", where, "joins itself");
  }
  const bool in_time = announce(operation, task_ends_.get());
  if (unwinding_) return true;
  told(operation, in_time ? end_operation(id) : OperationId{}, 0, !in_time);
  return in_time;
}

const Task* Machine::first_stuck_on(const SynchronizationObject& object) {
  const Task* task = object.first_waiter_;
  while (task != nullptr && task->state != TaskState::disabled) task = task->next_waiter;
  return task;
}

void Machine::detach(TaskId id) {
  tasks_[id.value].detached = true;
}

void Machine::start_fiber(Task& task) {
  task.fiber = &fibers_.acquire(&Machine::task_main, &task);
  task.fiber_record = task.fiber->context.get();
}

void Machine::task_main(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  Machine& machine = *current_machine;
  // A task that is left for good comes back here by a long jump, not by returning.
  if (__builtin_setjmp(task.leave_buffer) == 0) machine.run_body(task);
  machine.task_ended(task);
}

void Machine::run_body(Task& task) {
  try {
    task.body();
    checkpoints_.is_done();
  } catch (const RunIsOver&) {
    return;
  } catch (const UsageError&) {
    // The program misuses Orrery itself: its author should hear of it from `run`.
    if (over_) return;
    escaped_ = std::current_exception();
    stop(Outcome::Status::abandoned);
  } catch (const std::exception& error) {
    uncaught(task, error.what());
  } catch (...) {
    uncaught(task, "something that is not a std::exception");
  }
}

void Machine::uncaught(const Task& task, const char* what) {
  record(FindingKind::exception, fmt::format("uncaught exception: {}", what),
         {place_of(task.spawned_at, task.id, "started here")});
}

void Machine::leave_task() {
  Task& task = *running_;
  if (task.unwinding == Unwinding::abandon) {
    leaving_frames();
    __builtin_longjmp(task.leave_buffer, 1);
  }
  throw RunIsOver{};
}

namespace {

constexpr EventMask told_of_freed =
    EventMask::accesses() | EventMask::accesses_at_once() | EventMask::allocations();

}  // namespace

/// To those who watch accesses the memory is another from now on.
void Machine::tell_freed(const void* memory, std::size_t bytes) const {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(told_of_freed)) observer->on_freed(address, bytes);
  }
}

void Machine::task_ended(Task& task) {
  task.body = nullptr;  // what the closure owns dies with the task
  task.state = TaskState::ended;
  --tasks_alive_;
  task.own_operation = {};
  task.own_operation.kind = OperationKind::task_end;
  task.own_operation.object = task_ends_->id();
  task.begin_operation(task.own_operation);
  if (!unwinding_) {
    task.end_operation = task.current_id();
    told(task.own_operation);
    checkpoints_.has_ended(task);
    if (wants_any(told_of_freed)) tell_freed(task.fiber->stack_bottom, task.fiber->stack_bytes);
    report_held(task);
    if (process_at(task.process).first_task == task.id) finish_process(task.process);
    last_ran_ = &task;
    step_is_over();
    start_booted();
    reconsider(*task_ends_);
  }
  // Those who were ended with it must be unwound first, which the host does.
  Task* const next = unwinding_ || !crashed_.empty() ? nullptr : choose_next();
  fibers_.release(*task.fiber);
  if (next != nullptr && next->fiber == nullptr) {
    start_fiber(*next);
    if (next->fiber == task.fiber) {
      // The new task gets this very stack: it begins when this function has returned.
      hand_over(&task, next);
      return;
    }
  }
  switch_from(&task, next);
}

}  // namespace orrery::detail
