// The fault `crash`: the processes of a host end where they are, and begin again.
#include <algorithm>

#include <fmt/format.h>

#include "machine.hpp"

namespace orrery::detail {

void Machine::silence(Task& task) {
  if (task.waits_on != nullptr) unlink(task);
  if (task.operation_actor.place != Actor::Place::nowhere) agenda_.remove(task.operation_actor);
  if (task.deadline_actor.place != Actor::Place::nowhere) agenda_.remove(task.deadline_actor);
  std::erase(pollers_, &task);
  std::erase(booted_, &task);
  task.state = TaskState::ended;
  task.held.clear();
  task.end_operation = task.current_id();
}

void Machine::end_other_tasks() {
  for (std::size_t i = 0; i < tasks_used_; ++i) {
    Task& task = tasks_[i];
    if (&task == running_ || task.process != running_->process || task.has_ended()) continue;
    silence(task);
    crashed_.push_back(&task);
  }
}

void Machine::crash_host(std::uint32_t host) {
  for (Process& process : processes_) {
    const bool lives = process.rank >= 0 && process.host == host && !process.is_down &&
                       !tasks_[process.first_task.value].has_ended();
    if (!lives) continue;
    process.is_down = true;
    for (std::size_t i = 0; i < tasks_used_; ++i) {
      Task& task = tasks_[i];
      if (task.process != process.id || task.has_ended()) continue;
      silence(task);
      crashed_.push_back(&task);
    }
    tasks_[process.first_task.value].awaits_restart = !messages_->is_reliable();
    messages_->process_crashed(process.rank);
  }
  if (running_ == nullptr || !running_->has_ended()) return;
  switch_from(running_, nullptr);  // the host comes back to unwind, in the right order
  leave_if_possible(running_->pending->kind);
}

void Machine::reap() {
  // What a task owns goes with it: its frames are unwound, and do nothing that others could see.
  // Youngest first: a child may refer to its parent's locals.
  unwinding_ = true;
  for (std::size_t i = crashed_.size(); i-- > 0;) {
    Task& task = *crashed_[i];
    if (task.fiber != nullptr) {
      switch_from(nullptr, &task);
    } else {
      task.body = nullptr;
      --tasks_alive_;
    }
  }
  running_ = nullptr;
  unwinding_ = false;
  crashed_.clear();
  reconsider(*task_ends_);
  wake_pollers();
}

void Machine::restart_host(std::uint32_t host) {
  // By number: a new task may move the tables.
  for (std::size_t i = 1; i < processes_.size(); ++i) {
    if (processes_[i].host != host || !processes_[i].is_down) continue;
    processes_[i].is_down = false;
    const TaskId before = processes_[i].first_task;
    Task& task =
        new_task(processes_[i].id, fmt::format("{} (restarted)", processes_[i].name),
                 processes_[i].body, processes_[i].started_at, tasks_[before.value].unwinding);
    tasks_[before.value].awaits_restart = false;
    tasks_[before.value].successor = task.id;
    processes_[i].first_task = task.id;
    std::vector<TaskId> before_crash;
    for (std::size_t other = 0; other < tasks_used_; ++other) {
      const bool is_one = tasks_[other].process == task.process && tasks_[other].id != task.id;
      if (is_one) before_crash.push_back(tasks_[other].id);
    }
    tell_task(task, before_crash);
    enter_agenda(task, now_);
  }
}

const Task& Machine::last_incarnation(TaskId id) const {
  const Task* task = &tasks_[id.value];
  while (task->successor != no_task) task = &tasks_[task->successor.value];
  return *task;
}

bool Machine::has_ended(TaskId id) const {
  const Task& task = last_incarnation(id);
  return task.has_ended() && !task.awaits_restart;
}

OperationId Machine::end_operation(TaskId id) const {
  return last_incarnation(id).end_operation;
}

}  // namespace orrery::detail
