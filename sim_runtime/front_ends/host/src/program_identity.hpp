// Which process and which threads a simulated program takes itself for.
#pragma once

#include <sys/types.h>

#include "rank_context.hpp"

namespace orrery::host {

/// Beyond what the system gives to any process: so a number that reaches the system after all hits
/// nobody.
inline constexpr pid_t first_process_number = 5'000'000;
inline constexpr pid_t process_numbers_of_a_rank = 16'384;

/// Of the process that runs; the same in every run, on every machine.
inline pid_t process_number() {
  return first_process_number + running().user->rank() * process_numbers_of_a_rank;
}
/// Of one of its threads: that of `main` is the process's.
inline pid_t thread_number(const ThreadContext& thread) {
  return process_number() + static_cast<pid_t>(thread.handle()) - 1;
}

}  // namespace orrery::host
