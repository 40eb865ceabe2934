// Explicit tasks: made, ordered by what they depend on, and run by whoever waits.
#pragma once

#include <cstdint>

#include "team.hpp"

namespace orrery::openmp {

/// Runs a task that is ready: any, or only children of `parent`, or only those of `group`.  Which,
/// if there are several, is a choice.  False: there is none, and no other task has run meanwhile.
bool run_some_task(Thread& thread, const Task* parent, const Group* group,
                   std::uintptr_t program_counter);

/// What a task is made of.
struct TaskRequest {
  Function function = nullptr;
  void* data = nullptr;
  void (*copy)(void*, void*) = nullptr;  ///< null: the bytes
  long size_bytes = 0;
  long alignment = 1;
  bool may_wait = true;  ///< else it is run at once
  bool is_final = false;
  void** depend = nullptr;
  /// Of a loop's task: what its data begins with.
  const unsigned long long* bounds = nullptr;
};
void make_task(const TaskRequest& request, std::uintptr_t program_counter);

void wait_for_children(std::uintptr_t program_counter);
/// For those that something like this depends on.
void wait_for_dependences(void** depend, std::uintptr_t program_counter);
void begin_group();
/// The tasks of the team's region, made by whatever task, are those of a group.
void group_tasks_of(Team& team);
void end_group(std::uintptr_t program_counter);

}  // namespace orrery::openmp
