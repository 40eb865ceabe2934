#include "tasks.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ranks/rank_context.hpp"

namespace orrery::openmp {
namespace {

using host::guarded_runtime;
using host::HostScope;

void make_semaphore(char& semaphore) {
  guarded_runtime().object_forget(&semaphore);
  guarded_runtime().semaphore_set(&semaphore, 0);
}

void acquire(char& semaphore, std::uintptr_t program_counter) {
  guarded_runtime().semaphore_acquire(&semaphore, ORRERY_LOCK_WAIT, ORRERY_NEVER, program_counter);
}

void release(char& semaphore, std::uintptr_t program_counter) {
  guarded_runtime().semaphore_release(&semaphore, program_counter);
}

bool is_within(const Group* group, const Group* outer) {
  while (group != nullptr && group != outer) group = group->outer;
  return group == outer;
}

bool fits(const Task& task, const Task* parent, const Group* group) {
  if (parent != nullptr && task.parent.get() != parent) return false;
  return group == nullptr || is_within(task.group, group);
}

// --- dependences ------------------------------------------------------------------------------

/// The list that compilers hand over, in its two shapes.
struct Dependences {
  explicit Dependences(void** depend) {
    const auto number = [depend](int index) {
      return reinterpret_cast<std::uintptr_t>(depend[index]);
    };
    if (number(0) != 0) {
      count = number(0);
      written = number(1);
      plain = count;
      first = depend + 2;
    } else {
      count = number(1);
      written = number(2) + number(3);
      plain = written + number(4);
      first = depend + 5;
    }
  }
  /// The place, and whether it is written.
  [[nodiscard]] std::pair<const void*, bool> at(std::size_t index) const {
    if (index < plain) return {first[index], index < written};
    constexpr std::uintptr_t only_read = 1;
    void** const object = static_cast<void**>(first[index]);
    return {object[0], reinterpret_cast<std::uintptr_t>(object[1]) != only_read};
  }
  std::size_t count = 0;

 private:
  std::size_t written = 0;
  std::size_t plain = 0;
  void** first = nullptr;
};

void follow(const TaskPointer& task, const std::vector<TaskPointer>& others) {
  for (const TaskPointer& other : others) {
    if (other == task || std::ranges::find(task->predecessors, other) != task->predecessors.end()) {
      continue;
    }
    task->predecessors.push_back(other);
    if (other->has_ended) continue;
    other->successors.push_back(task);
    ++task->awaits;
  }
}

void add_dependences(const TaskPointer& task, void** depend) {
  if (depend == nullptr) return;
  const HostScope scope;
  task->has_dependences = true;
  const Dependences list(depend);
  for (std::size_t i = 0; i < list.count; ++i) {
    const auto [place, is_written] = list.at(i);
    Task::Uses& uses = task->parent->uses[place];
    follow(task, uses.writers);
    if (!is_written) {
      uses.readers.push_back(task);
      continue;
    }
    follow(task, uses.readers);
    uses.readers.clear();
    uses.writers = {task};
  }
}

// --- running ----------------------------------------------------------------------------------

void begin(Task& task, std::uintptr_t program_counter) {
  for (const TaskPointer& one : task.predecessors) {
    // What it depends on comes before it; the next one that depends on that wants to know, too.
    acquire(one->end, program_counter);
    release(one->end, program_counter);
  }
  const HostScope scope;
  task.predecessors.clear();
}

void finish(const TaskPointer& task, std::uintptr_t program_counter) {
  Team& team = *task->team;
  task->has_ended = true;
  --team.unfinished;
  --task->parent->children;
  ++task->parent->ended;
  Group* const group = task->group;
  if (group != nullptr) ++group->ended;
  for (Group* one = group; one != nullptr; one = one->outer) --one->unfinished;
  {
    const HostScope scope;
    for (TaskPointer& next : task->successors) {
      if (--next->awaits == 0) team.ready.push_back(next);
    }
    task->successors.clear();
    task->uses.clear();
    task->memory.reset();
  }
  if (task->has_dependences) release(task->end, program_counter);
  if (group != nullptr) release(group->ends, program_counter);
  release(task->parent->ends, program_counter);
  tell_news(team, program_counter);
}

void run(Thread& thread, const TaskPointer& task, std::uintptr_t program_counter) {
  acquire(task->start, program_counter);
  begin(*task, program_counter);
  const TaskPointer before = std::exchange(thread.place.task, task);
  task->function(task->data);
  thread.place.task = before;
  finish(task, program_counter);
}

/// At once, in the midst of the one that makes it.
void run_included(Thread& thread, const TaskPointer& task, std::uintptr_t program_counter) {
  while (task->awaits > 0) {
    if (!run_some_task(thread, nullptr, nullptr, program_counter)) {
      await_news(*task->team, program_counter);
    }
  }
  std::erase(task->team->ready, task);
  begin(*task, program_counter);
  const TaskPointer before = std::exchange(thread.place.task, task);
  task->function(task->data);
  thread.place.task = before;
  finish(task, program_counter);
}

/// Room for the data of a task: with the program's own function, if it has one, on the program's
/// side.
void copy_data(Task& task, const TaskRequest& request) {
  const auto alignment = static_cast<std::size_t>(std::max(request.alignment, 1L));
  const auto size = static_cast<std::size_t>(request.size_bytes);
  {
    const HostScope scope;
    task.memory = std::make_unique<std::byte[]>(size + alignment);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(task.memory.get());
  task.data = reinterpret_cast<void*>((address + alignment - 1) / alignment * alignment);
  if (request.copy != nullptr) {
    request.copy(task.data, request.data);
  } else {
    std::memcpy(task.data, request.data, size);
  }
  if (request.bounds != nullptr) std::memcpy(task.data, request.bounds, 2 * sizeof(long long));
}

TaskPointer new_task(const Thread& thread, const TaskRequest& request) {
  const HostScope scope;
  auto task = std::make_shared<Task>();
  const TaskPointer& parent = thread.place.task;
  task->parent = parent;
  task->team = thread.place.team;
  task->group = parent->group;
  task->settings = parent->settings;
  task->function = request.function;
  task->data = request.data;
  task->is_final = request.is_final || parent->is_final;
  task->is_explicit = true;
  return task;
}

}  // namespace

bool run_some_task(Thread& thread, const Task* parent, const Group* group,
                   std::uintptr_t program_counter) {
  auto& ready = thread.place.team->ready;
  std::size_t count = 0;
  for (const TaskPointer& task : ready) count += fits(*task, parent, group) ? 1 : 0;
  if (count == 0) return false;
  std::uint64_t index = 0;
  if (count > 1) {
    index = guarded_runtime().draw(count, program_counter);
    // Others may have been here meanwhile: then all that the caller waits for may be different,
    // too.
    count = 0;
    for (const TaskPointer& task : ready) count += fits(*task, parent, group) ? 1 : 0;
    if (count == 0) return true;
    index = std::min<std::uint64_t>(index, count - 1);
  }
  for (auto one = ready.begin(); one != ready.end(); ++one) {
    if (!fits(**one, parent, group) || index-- > 0) continue;
    const TaskPointer task = *one;
    ready.erase(one);
    run(thread, task, program_counter);
    return true;
  }
  return false;
}

void make_task(const TaskRequest& request, std::uintptr_t program_counter) {
  Thread& thread = this_thread();
  Team& team = *thread.place.team;
  const bool is_included = !request.may_wait || team.size == 1 || thread.place.task->is_final;
  const TaskPointer task = new_task(thread, request);
  for (char* const semaphore : {&task->start, &task->end, &task->ends}) make_semaphore(*semaphore);
  if (!is_included || request.copy != nullptr || request.bounds != nullptr) {
    copy_data(*task, request);
  }
  ++team.unfinished;
  ++task->parent->children;
  for (Group* one = task->group; one != nullptr; one = one->outer) ++one->unfinished;
  add_dependences(task, request.depend);
  if (is_included) return run_included(thread, task, program_counter);
  if (task->awaits == 0) {
    const HostScope scope;
    team.ready.push_back(task);
  }
  release(task->start, program_counter);
  tell_news(team, program_counter);
}

void wait_for_children(std::uintptr_t program_counter) {
  Thread& thread = this_thread();
  const TaskPointer task = thread.place.task;
  while (task->children > 0) {
    if (run_some_task(thread, task.get(), nullptr, program_counter)) continue;
    await_news(*task->team, program_counter);
  }
  for (; task->ended > 0; --task->ended) acquire(task->ends, program_counter);
  const HostScope scope;
  task->uses.clear();
}

void wait_for_dependences(void** depend, std::uintptr_t program_counter) {
  const auto nothing = [](void*) {};
  make_task({.function = nothing, .may_wait = false, .depend = depend}, program_counter);
}

void begin_group() {
  Task& task = *this_thread().place.task;
  Group* group = nullptr;
  {
    const HostScope scope;
    group = new Group;
  }
  if (task.group != nullptr) group->reductions = task.group->reductions;
  group->outer = std::exchange(task.group, group);
  make_semaphore(group->ends);
}

void group_tasks_of(Team& team) {
  {
    const HostScope scope;
    team.group = std::make_unique<Group>();
  }
  make_semaphore(team.group->ends);
}

void end_group(std::uintptr_t program_counter) {
  Thread& thread = this_thread();
  Task& task = *thread.place.task;
  Group* const group = task.group;
  while (group->unfinished > 0) {
    if (run_some_task(thread, nullptr, group, program_counter)) continue;
    await_news(*thread.place.team, program_counter);
  }
  for (; group->ended > 0; --group->ended) acquire(group->ends, program_counter);
  task.group = group->outer;
  const HostScope scope;
  const std::unique_ptr<Group> ended(group);
}

}  // namespace orrery::openmp
