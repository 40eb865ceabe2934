// What an OpenMP program may set: by its environment, and while it runs.
#pragma once

#include <climits>
#include <string_view>
#include <vector>

#include "ranks/program_identity.hpp"

namespace orrery::openmp {

/// How the iterations of a loop are dealt out, as `omp_sched_t` numbers it.
enum class Schedule : unsigned { runtime = 0, fixed = 1, dynamic = 2, guided = 3, automatic = 4 };

/// The internal control variables of a task (OpenMP 5.0, 2.5): a task begins with its creator's.
struct Settings {
  int thread_count = host::simulated_cores;
  Schedule schedule = Schedule::dynamic;
  long chunk = 1;
  bool is_dynamic = false;
  int active_levels_max = 1;
  int thread_limit = INT_MAX;
  int team_count_max = 0;  ///< of `teams`
  int teams_thread_limit = 0;
};

/// The settings of a process, read from its environment where it says something that is valid.
struct Environment {
  Settings settings;
  std::vector<int> thread_counts;  ///< of the levels of nested regions
};
[[nodiscard]] Environment read_environment();

/// `dynamic`, `guided,4`, `monotonic:static`; false: not valid, and nothing is changed.
bool read_schedule(std::string_view text, Settings& settings);

}  // namespace orrery::openmp
