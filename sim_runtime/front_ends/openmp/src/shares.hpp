// Loops of a team, as the entry points of all kinds of loops need them.
#pragma once

#include <cstdint>

#include "team.hpp"

namespace orrery::openmp {

/// A loop as the program has it: its variable as an unsigned number, whatever its type.
struct LoopRequest {
  std::uint64_t iterations = 0;
  unsigned long long first_value = 0;
  unsigned long long end_value = 0;
  unsigned long long increment = 0;
  Schedule schedule = Schedule::fixed;  ///< `runtime`: as the settings say
  std::uint64_t chunk = 0;
  bool is_ordered = false;
};
[[nodiscard]] LoopRequest loop_request(long start, long end, long increment, Schedule schedule,
                                       long chunk, bool is_ordered);
[[nodiscard]] LoopRequest loop_request(bool is_up, unsigned long long start, unsigned long long end,
                                       unsigned long long increment, Schedule schedule,
                                       unsigned long long chunk, bool is_ordered);

/// Comes to a loop of the team.
void enter_loop(const LoopRequest& request);
/// Of a region that begins with its loop: in `run_region`'s `prepare`.
void begin_loop(Team& team, const LoopRequest& request);

/// The values of the loop's variable that the calling thread does next: from, and up to.
struct Values {
  unsigned long long begin = 0;
  unsigned long long end = 0;
};
/// False: there are no more for it.
bool next_values(Values& values, std::uintptr_t program_counter);

/// Leaves the loop; an ordered one passes on its turn.
void leave_loop(std::uintptr_t program_counter);
/// Waits until the chunks before the thread's own have been left.
void await_turn(std::uintptr_t program_counter);

/// A scheduling point of the team's that orders no memory accesses.
void meet_others(const Thread& thread, std::uintptr_t program_counter);

}  // namespace orrery::openmp
