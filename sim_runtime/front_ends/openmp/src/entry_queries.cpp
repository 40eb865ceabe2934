// `omp_*`: what a program asks and sets.
#include <algorithm>
#include <climits>

#include "interposed/caller.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/program_identity.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"
#include "shares.hpp"

namespace {

using namespace orrery::openmp;

constexpr unsigned monotonic = 0x80000000U;
constexpr double nanoseconds_per_second = 1e9;

Settings& settings() {
  return this_thread().place.task->settings;
}

const Team& team() {
  return *this_thread().place.team;
}

/// The place of the calling thread, or of the one that it comes from, at a level.
const Place* place_at(int level) {
  const Place* place = &this_thread().place;
  if (level < 0 || level > place->team->level) return nullptr;
  while (place->team->level > level) place = &place->team->outer_place_of_master;
  return place;
}

}  // namespace

extern "C" {

extern const char orrery_interposed_openmp_queries;
const char orrery_interposed_openmp_queries = 0;

void omp_set_num_threads(int count) {
  settings().thread_count = std::max(count, 1);
}
int omp_get_num_threads() {
  return team().size;
}
int omp_get_max_threads() {
  return settings().thread_count;
}
int omp_get_thread_num() {
  return this_thread().place.number;
}
int omp_get_num_procs() {
  return orrery::host::own_processor_count();
}
int omp_in_parallel() {
  return team().active_level > 0 ? 1 : 0;
}
void omp_set_dynamic(int is_dynamic) {
  settings().is_dynamic = is_dynamic != 0;
}
int omp_get_dynamic() {
  return settings().is_dynamic ? 1 : 0;
}
void omp_set_nested(int is_nested) {
  settings().active_levels_max = is_nested != 0 ? INT_MAX : 1;
}
int omp_get_nested() {
  return settings().active_levels_max > 1 ? 1 : 0;
}

void omp_set_schedule(unsigned kind, int chunk) {
  const auto schedule = static_cast<Schedule>(kind & ~monotonic);
  if (schedule < Schedule::fixed || schedule > Schedule::automatic) return;
  settings().schedule = schedule;
  const int least = schedule == Schedule::fixed ? 0 : 1;
  settings().chunk = std::max(chunk, least);
}
void omp_get_schedule(unsigned* kind, int* chunk) {
  *kind = static_cast<unsigned>(settings().schedule);
  if (settings().schedule == Schedule::fixed) *kind |= monotonic;
  *chunk = static_cast<int>(settings().chunk);
}
int omp_get_thread_limit() {
  return settings().thread_limit;
}
void omp_set_max_active_levels(int levels) {
  if (levels >= 0) settings().active_levels_max = levels;
}
int omp_get_max_active_levels() {
  return settings().active_levels_max;
}
int omp_get_supported_active_levels() {
  return INT_MAX;
}
int omp_get_level() {
  return team().level;
}
int omp_get_active_level() {
  return team().active_level;
}
int omp_get_ancestor_thread_num(int level) {
  const Place* const place = place_at(level);
  return place != nullptr ? place->number : -1;
}
int omp_get_team_size(int level) {
  const Place* const place = place_at(level);
  return place != nullptr ? place->team->size : -1;
}
int omp_in_final() {
  return this_thread().place.task->is_final ? 1 : 0;
}

double omp_get_wtime() {
  if (orrery::host::running().user == nullptr) return 0;
  const timespec date = orrery::host::date_of(CLOCK_MONOTONIC, ORRERY_CALLER);
  return static_cast<double>(date.tv_sec) + static_cast<double>(date.tv_nsec) / 1e9;
}
double omp_get_wtick() {
  return 1 / nanoseconds_per_second;
}

// Where threads run means nothing here.
int omp_get_cancellation() {
  return 0;
}
int omp_get_proc_bind() {
  return 0;
}
int omp_get_num_places() {
  return 0;
}
int omp_get_place_num_procs(int /*place*/) {
  return 0;
}
void omp_get_place_proc_ids(int /*place*/, int* /*processors*/) {}
int omp_get_place_num() {
  return -1;
}
int omp_get_partition_num_places() {
  return 0;
}
void omp_get_partition_place_nums(int* /*places*/) {}

// There are no devices but the host.
void omp_set_default_device(int /*device*/) {}
int omp_get_default_device() {
  return 0;
}
int omp_get_num_devices() {
  return 0;
}
int omp_get_device_num() {
  return 0;
}
int omp_is_initial_device() {
  return 1;
}
int omp_get_initial_device() {
  return 0;
}
int omp_get_max_task_priority() {
  return 0;
}

int omp_get_num_teams() {
  return this_process().team_count;
}
int omp_get_team_num() {
  return this_process().team_number;
}
void omp_set_num_teams(int count) {
  settings().team_count_max = std::max(count, 0);
}
int omp_get_max_teams() {
  return settings().team_count_max;
}
void omp_set_teams_thread_limit(int limit) {
  settings().teams_thread_limit = std::max(limit, 0);
}
int omp_get_teams_thread_limit() {
  return settings().teams_thread_limit;
}
}
