// Where in the program a task is: its stack, walked when a finding asks for it.
#include <algorithm>

#include "machine.hpp"
#include "place_resolver.hpp"
#include "stack_walk.hpp"

namespace orrery::detail {

/// A question to a parked task: it is resumed on its own stack, looks at that, and goes back.  So a
/// stack is walked as it lies, and whoever is never asked pays for one comparison a switch.
struct Machine::StackVisit {
  Task* asker;  ///< null: the host
  StackWalk walk;
};

void Machine::answer_visit(Task* visited) {
  StackVisit& visit = *std::exchange(visit_, nullptr);
  visit.walk.take();
  Fiber& source = visited != nullptr ? *visited->fiber : fibers_.host();
  fibers_.switch_to(source, hand_over(visited, visit.asker));
}

std::vector<SourceFrame> Machine::own_stack() {
  StackWalk walk;
  walk.take();
  return resolve_stack(walk.addresses());
}

std::vector<SourceFrame> Machine::stack_of(const Task& task) {
  if (task.has_ended() || task.fiber == nullptr) return {};
  StackVisit visit{running_, {}};
  if (&task == running_) {
    visit.walk.take();
  } else {
    visit_ = &visit;
    switch_from(running_, &task_at(task.id));
  }
  return resolve_stack(visit.walk.addresses());
}

FindingPlace Machine::place_here(const SourceLocation& where) const {
  FindingPlace result = place(where);
  std::vector<SourceFrame> stack = own_stack();
  // What the place has called is what tells of it: a program's hooks are part of it.
  const auto here = std::find_if(stack.begin(), stack.end(), [&](const SourceFrame& frame) {
    return frame.file == result.file && frame.line == result.line;
  });
  if (here != stack.end()) stack.erase(stack.begin(), here);
  add_stack(result, std::move(stack));
  return result;
}

std::vector<HeldLock> Machine::locks_here() const {
  std::vector<HeldLock> locks;
  for (const SynchronizationObject* const lock : running_->held) {
    for (const auto& holder : lock->holders()) {
      if (holder.task != running_->id) continue;
      FindingPlace taken = place(holder.where);
      locks.push_back({object(lock->id()), std::move(taken.file), taken.line});
    }
  }
  return locks;
}

std::optional<StackPlace> Machine::stack_place(std::uintptr_t address) const {
  const auto* const place = reinterpret_cast<const std::byte*>(address);
  for (std::size_t i = 0; i < tasks_used_; ++i) {
    const Task& task = tasks_[i];
    // Another one may have begun on the stack of one that has ended.
    if (task.fiber == nullptr || task.fiber->argument != &task) continue;
    const auto* const bottom = static_cast<const std::byte*>(task.fiber->stack_bottom);
    if (place < bottom || place >= bottom + task.fiber->stack_bytes) continue;
    const std::uintptr_t line = task.stack_line == nullptr ? 0 : *task.stack_line;
    return StackPlace{.owner = task.id, .has_ended = task.has_ended(), .line = line};
  }
  return std::nullopt;
}

std::string Machine::memory(std::uintptr_t address) const {
  const std::optional<StackPlace> stack = stack_place(address);
  const bool is_in_use = stack && !stack->has_ended;
  return is_in_use ? "the stack of " + task(stack->owner) : resolve_variable(address);
}

FindingPlace Machine::place_on_stack(const SourceLocation& where, const Task& task,
                                     std::string role) {
  std::vector<SourceFrame> stack = stack_of(task);
  FindingPlace result = place_of(where, task.id, std::move(role));
  add_stack(result, std::move(stack));
  return result;
}

}  // namespace orrery::detail
