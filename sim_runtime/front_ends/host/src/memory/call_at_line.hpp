// Where the frames of a thread begin, on real cores and in simulation.
#pragma once

namespace orrery::host {

/// Calls `function` with a stack pointer that is a multiple of 64.  So local variables have the
/// same lowest bits in a replay as they had on real cores, and what goes by these does the same:
/// `std::atomic::wait` has one of sixteen counters tell who waits, by the variable's address.
void* call_at_line(void* (*function)(void*), void* argument) __asm__("orrery_call_at_line");
int call_at_line(int (*main)(int, char**, char**), int argc, char** argv,
                 char** environment) __asm__("orrery_call_at_line");

}  // namespace orrery::host
