// Regions, and what threads of a team do once or in turn.
#include <cstddef>

#include "interposed/caller.hpp"
#include "ranks/rank_context.hpp"
#include "reductions.hpp"
#include "shares.hpp"
#include "tasks.hpp"

namespace {

using namespace orrery::openmp;
using orrery::host::guarded_runtime;

// The addresses of these are what locks are known by.
char unnamed_critical = 0;
char atomic = 0;

void lock(void* mutex, std::uintptr_t program_counter) {
  if (orrery::host::running().user == nullptr) return;
  guarded_runtime().mutex_lock(mutex, ORRERY_MUTEX_MARKED, ORRERY_LOCK_WAIT, ORRERY_NEVER,
                               program_counter);
}

void unlock(void* mutex, std::uintptr_t program_counter) {
  if (orrery::host::running().user == nullptr) return;
  guarded_runtime().mutex_unlock(mutex, ORRERY_MUTEX_MARKED, program_counter);
}

struct Sections {
  unsigned count;
};

void begin_sections(Share& share, unsigned count) {
  share.is_begun = true;
  share.sections = static_cast<int>(count);
}

void begin_with_sections(Team& team, const void* sections) {
  begin_sections(add_first_share(team), static_cast<const Sections*>(sections)->count);
}

struct ReductionRegion {
  std::uintptr_t* reductions;
  mutable int threads;
};

void begin_with_reductions(Team& team, const void* with) {
  const auto& region = *static_cast<const ReductionRegion*>(with);
  region.threads = team.size;
  group_tasks_of(team);
  make_parts(region.reductions, nullptr, team.size);
  team.group->reductions = region.reductions;
}

/// From 1; 0: all are taken.
unsigned next_section(std::uintptr_t program_counter) {
  const Thread& thread = this_thread();
  meet_others(thread, program_counter);
  Share& share = *thread.place.share;
  if (share.next_section > share.sections) return 0;
  return static_cast<unsigned>(share.next_section++);
}

unsigned start_sections(unsigned count, std::uintptr_t program_counter) {
  Share& share = enter_share(this_thread());
  if (!share.is_begun) begin_sections(share, count);
  return next_section(program_counter);
}

/// Is the calling thread the first?
bool come_first(Share& share, const Thread& thread, std::uintptr_t program_counter) {
  meet_others(thread, program_counter);
  const bool is_first = !share.is_begun;
  share.is_begun = true;
  return is_first;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_openmp_regions;
const char orrery_interposed_openmp_regions = 0;

void GOMP_parallel(Function function, void* data, unsigned threads, unsigned /*flags*/) {
  run_region(function, data, threads, ORRERY_CALLER);
}

void GOMP_parallel_sections(Function function, void* data, unsigned threads, unsigned count,
                            unsigned /*flags*/) {
  const Sections sections{count};
  run_region(function, data, threads, ORRERY_CALLER, begin_with_sections, &sections);
}

void GOMP_barrier() {
  wait_for_team(ORRERY_CALLER);
}
// Cancellation is off, as it is in other implementations unless the environment asks for it.
bool GOMP_barrier_cancel() {
  wait_for_team(ORRERY_CALLER);
  return false;
}
bool GOMP_cancel(int /*what*/, bool /*is_wanted*/) {
  return false;
}
bool GOMP_cancellation_point(int /*what*/) {
  return false;
}

// --- one after the other ----------------------------------------------------------------------

void GOMP_critical_start() {
  lock(&unnamed_critical, ORRERY_CALLER);
}
void GOMP_critical_end() {
  unlock(&unnamed_critical, ORRERY_CALLER);
}
void GOMP_critical_name_start(void** name) {
  lock(name, ORRERY_CALLER);
}
void GOMP_critical_name_end(void** name) {
  unlock(name, ORRERY_CALLER);
}
void GOMP_atomic_start() {
  lock(&atomic, ORRERY_CALLER);
}
void GOMP_atomic_end() {
  unlock(&atomic, ORRERY_CALLER);
}

// --- sections ---------------------------------------------------------------------------------

unsigned GOMP_sections_start(unsigned count) {
  return start_sections(count, ORRERY_CALLER);
}
unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
  Share& share = enter_share(this_thread());
  if (!share.is_begun) begin_sections(share, count);
  take_extras(reductions, memory);
  return next_section(ORRERY_CALLER);
}
unsigned GOMP_sections_next() {
  return next_section(ORRERY_CALLER);
}
void GOMP_sections_end() {
  leave_share(this_thread());
  wait_for_team(ORRERY_CALLER);
}
void GOMP_sections_end_nowait() {
  leave_share(this_thread());
}
bool GOMP_sections_end_cancel() {
  leave_share(this_thread());
  wait_for_team(ORRERY_CALLER);
  return false;
}

// --- single -----------------------------------------------------------------------------------

bool GOMP_single_start() {
  Thread& thread = this_thread();
  const bool is_first = come_first(enter_share(thread), thread, ORRERY_CALLER);
  leave_share(thread);
  return is_first;
}

// To the first null; to the others what the first has to show.
void* GOMP_single_copy_start() {
  Thread& thread = this_thread();
  Share& share = enter_share(thread);
  if (come_first(share, thread, ORRERY_CALLER)) return nullptr;
  wait_for_team(ORRERY_CALLER);
  void* const copied = share.copied;
  leave_share(thread);
  return copied;
}

void GOMP_single_copy_end(void* data) {
  Thread& thread = this_thread();
  thread.place.share->copied = data;
  wait_for_team(ORRERY_CALLER);
  leave_share(thread);
}

// Only called where there are reductions of tasks.
void GOMP_scope_start(std::uintptr_t* reductions) {
  Thread& thread = this_thread();
  enter_share(thread);
  take_extras(reductions, nullptr);
  leave_share(thread);
}

// --- reductions of tasks ----------------------------------------------------------------------

unsigned GOMP_parallel_reductions(Function function, void* data, unsigned threads,
                                  unsigned /*flags*/) {
  ReductionRegion region{*static_cast<std::uintptr_t**>(data), 0};
  run_region(function, data, threads, ORRERY_CALLER, begin_with_reductions, &region);
  return static_cast<unsigned>(region.threads);
}

void GOMP_taskgroup_reduction_register(std::uintptr_t* arrays) {
  const Place& place = this_thread().place;
  Group& group = *place.task->group;
  make_parts(arrays, group.reductions, place.team->size);
  group.reductions = arrays;
}
void GOMP_taskgroup_reduction_unregister(std::uintptr_t* arrays) {
  free_parts(arrays);
}
void GOMP_task_reduction_remap(std::size_t count, std::size_t original_count, void** variables) {
  find_parts(count, original_count, variables);
}
void GOMP_workshare_task_reduction_unregister(bool is_cancelled) {
  leave_reductions(ORRERY_CALLER);
  if (!is_cancelled) wait_for_team(ORRERY_CALLER);
}

// Teams on the host: one after the other.
void GOMP_teams_reg(Function function, void* data, unsigned teams, unsigned /*threads*/,
                    unsigned /*flags*/) {
  Process& process = this_process();
  process.team_count = teams == 0 ? 1 : static_cast<int>(teams);
  for (process.team_number = 0; process.team_number < process.team_count; ++process.team_number) {
    function(data);
  }
  process.team_count = 1;
  process.team_number = 0;
}
}
