// Where the frames of a thread begin, on real cores and in simulation.
#pragma once

#include <cstdint>

namespace orrery::host {

/// Calls `function` with a stack pointer that is a multiple of 64, and keeps that in `line`.  So
/// local variables have the same lowest bits in a replay as they had on real cores, and what goes
/// by these does the same: `std::atomic::wait` has one of sixteen counters tell who waits, by the
/// variable's address.  And each has a place in its thread's stack, counted from the line.
void* call_at_line(void* (*function)(void*), void* argument, const void* nothing,
                   const void* nothing_either, std::uintptr_t* line) __asm__("orrery_call_at_line");
inline void* call_at_line(void* (*function)(void*), void* argument, std::uintptr_t& line) {
  return call_at_line(function, argument, nullptr, nullptr, &line);
}
int call_at_line(int (*main)(int, char**, char**), int argc, char** argv, char** environment,
                 std::uintptr_t* line) __asm__("orrery_call_at_line");

}  // namespace orrery::host
