#include "team.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"
#include "tasks.hpp"

namespace orrery::openmp {
namespace {

using host::guarded_runtime;
using host::HostScope;

constexpr std::uint32_t every_bit = 0xffffffffU;  // of a futex's waiters

/// Outside of a simulated program a team has one thread.
struct Outside {
  Process process;
  Thread thread;
};
Outside& outside() {
  static thread_local Outside state;
  return state;
}

void begin_as_initial(Thread& thread, Process& process) {
  Team& team = process.teams.emplace_back();
  team.threads = {&thread};
  auto task = std::make_shared<Task>();
  task->team = &team;
  task->settings = process.environment.settings;
  thread.place = {};
  thread.place.team = &team;
  thread.place.task = std::move(task);
}

int threads_of_region(const Thread& thread, unsigned wanted) {
  const Settings& settings = thread.place.task->settings;
  if (thread.place.team->active_level >= settings.active_levels_max) return 1;
  if (host::running().user == nullptr) return 1;
  const int count = wanted == 0 ? settings.thread_count : static_cast<int>(wanted);
  return std::clamp(count, 1, settings.thread_limit);
}

/// A thread's part of a region, from its beginning to the barrier at the end.
void take_part(Thread& thread, std::uintptr_t program_counter) {
  Team& team = *thread.place.team;
  if (team.begins_with_share) enter_share(thread);
  team.function(team.data);
  if (team.size > 1 || team.unfinished > 0) wait_for_team(program_counter);
}

void leave_team(Team& team) {
  if (++team.threads_left < team.size) return;
  Process& process = this_process();
  const HostScope scope;
  team = {};
  process.free_teams.push_back(&team);
}

void enter_team(Thread& thread, Team& team, int number) {
  const HostScope scope;
  auto task = std::make_shared<Task>();
  task->team = &team;
  task->group = team.group.get();
  task->settings = team.settings;
  thread.place = {};
  thread.place.team = &team;
  thread.place.number = number;
  thread.place.task = std::move(task);
}

/// What a thread of the pool does from the beginning to the end of the process.
void* work(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  host::running().thread->openmp = &thread;
  for (;;) {
    guarded_runtime().semaphore_acquire(&thread.work, ORRERY_LOCK_WAIT, ORRERY_NEVER, 0);
    enter_team(thread, *thread.next_team, thread.next_number);
    take_part(thread, 0);
    leave_team(*std::exchange(thread.place, {}).team);
  }
  return nullptr;
}

Thread& start_in_pool(Process& process, std::uintptr_t program_counter) {
  Thread* thread = nullptr;
  std::string name;
  {
    const HostScope scope;
    thread = &process.pool.emplace_back();
    thread->is_idle = false;  // it is spoken for, though it takes a while to start
    name = "omp#" + std::to_string(process.pool.size());
  }
  guarded_runtime().object_forget(&thread->work);
  guarded_runtime().semaphore_set(&thread->work, 0);
  auto& context = host::start_thread(work, thread, true, program_counter);
  context.is_helper = true;
  guarded_runtime().thread_name(context.number, name.c_str());
  {
    const HostScope scope;
    name = {};
  }
  return *thread;
}

Settings settings_of_members(const Process& process, const Team& team, Settings settings) {
  const auto& counts = process.environment.thread_counts;
  const auto level = static_cast<std::size_t>(team.active_level);
  if (level < counts.size()) settings.thread_count = counts[level];
  return settings;
}

void gather(Team& team, std::uintptr_t program_counter) {
  Process& process = this_process();
  for (int number = 1; number < team.size; ++number) {
    // The lowest that is free: so that a thread has the same number, and the same threadprivate
    // variables, in one region after the other.
    const auto idle = std::ranges::find(process.pool, true, &Thread::is_idle);
    Thread& thread = idle != process.pool.end() ? *idle : start_in_pool(process, program_counter);
    thread.is_idle = false;
    thread.next_team = &team;
    thread.next_number = number;
    team.threads[static_cast<std::size_t>(number)] = &thread;
    guarded_runtime().semaphore_release(&thread.work, program_counter);
  }
}

Team& make_team(Thread& master, Function function, void* data, int size) {
  Process& process = this_process();
  const HostScope scope;
  Team& outer = *master.place.team;
  if (process.free_teams.empty()) process.free_teams.push_back(&process.teams.emplace_back());
  Team& team = *process.free_teams.back();
  process.free_teams.pop_back();
  team.outer = &outer;
  team.outer_place_of_master = master.place;
  team.size = size;
  team.level = outer.level + 1;
  team.active_level = outer.active_level + (size > 1 ? 1 : 0);
  team.function = function;
  team.data = data;
  team.threads.resize(static_cast<std::size_t>(size));
  return team;
}

}  // namespace

Process::Process() : environment(read_environment()) {}

Process& this_process() {
  host::RankContext* const rank = host::running().user;
  if (rank == nullptr) return outside().process;
  if (rank->openmp == nullptr) {
    Environment environment = read_environment();  // as the program sees it
    const HostScope scope;
    rank->openmp = std::make_shared<Process>();
    static_cast<Process*>(rank->openmp.get())->environment = environment;
  }
  return *static_cast<Process*>(rank->openmp.get());
}

Thread& this_thread() {
  if (host::running().user == nullptr) {
    Outside& state = outside();
    if (state.thread.place.team == nullptr) begin_as_initial(state.thread, state.process);
    return state.thread;
  }
  host::ThreadContext& context = *host::running().thread;
  if (context.openmp == nullptr) {
    Process& process = this_process();
    const HostScope scope;
    Thread& thread = process.initial.emplace_back();
    begin_as_initial(thread, process);
    context.openmp = &thread;
  }
  return *static_cast<Thread*>(context.openmp);
}

void run_region(Function function, void* data, unsigned threads, std::uintptr_t program_counter,
                void (*prepare)(Team& team, const void* with), const void* with) {
  Thread& master = this_thread();
  Team& team = make_team(master, function, data, threads_of_region(master, threads));
  team.settings = settings_of_members(this_process(), team, master.place.task->settings);
  if (prepare != nullptr) prepare(team, with);
  if (team.size > 1) {
    guarded_runtime().object_forget(&team.barrier);
    guarded_runtime().barrier_set(&team.barrier, static_cast<std::uint32_t>(team.size));
  }
  enter_team(master, team, 0);
  team.threads[0] = &master;
  gather(team, program_counter);
  take_part(master, program_counter);
  // They have come through the barrier at the end, though some may still be on their way back.
  for (std::size_t number = 1; number < team.threads.size(); ++number) {
    team.threads[number]->is_idle = true;
  }
  master.place = std::exchange(team.outer_place_of_master, {});
  leave_team(team);
}

void wait_for_team(std::uintptr_t program_counter) {
  Thread& thread = this_thread();
  Team& team = *thread.place.team;
  const unsigned generation = team.generation;
  ++team.arrived;
  while (team.generation == generation) {
    if (run_some_task(thread, nullptr, nullptr, program_counter)) continue;
    if (team.arrived == team.size && team.unfinished == 0) {
      team.arrived = 0;
      ++team.generation;
      tell_news(team, program_counter);
      break;
    }
    await_news(team, program_counter);
  }
  if (!thread.place.task->uses.empty()) {
    const HostScope scope;
    thread.place.task->uses.clear();
  }
  if (team.size > 1) guarded_runtime().barrier_wait(&team.barrier, program_counter);
}

Share& add_first_share(Team& team) {
  const HostScope scope;
  team.begins_with_share = true;
  return team.shares.emplace_back();
}

Share& enter_share(Thread& thread) {
  Team& team = *thread.place.team;
  const unsigned index = thread.place.shares_begun++ - team.first_share;
  if (index >= team.shares.size()) {
    const HostScope scope;
    team.shares.resize(index + 1);
  }
  Place& place = thread.place;
  place.share = &team.shares[index];
  place.trip = 0;
  place.has_token = false;
  place.had_chunk = false;
  return *place.share;
}

void leave_share(Thread& thread) {
  Team& team = *thread.place.team;
  Share& share = *thread.place.share;
  thread.place.share = nullptr;
  ++share.threads_done;
  const HostScope scope;
  while (!team.shares.empty() && team.shares.front().threads_done == team.size) {
    team.shares.pop_front();
    ++team.first_share;
  }
}

void tell_news(Team& team, std::uintptr_t program_counter) {
  ++team.news;
  if (team.waiting == 0) return;
  // All: who is asleep when it comes to that may not be who is now.
  guarded_runtime().futex_wake(&team.news, INT32_MAX, every_bit, nullptr, 0, 0, program_counter);
}

void await_news(Team& team, std::uintptr_t program_counter) {
  const std::uint32_t known = team.news;
  ++team.waiting;
  guarded_runtime().futex_wait(&team.news, known, every_bit, ORRERY_NEVER, /*is_programs=*/0,
                               program_counter);
  --team.waiting;
}

}  // namespace orrery::openmp
