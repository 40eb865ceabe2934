// Threads of a simulated program: how they begin and end.
#pragma once

#include <cstdint>

#include "rank_context.hpp"

namespace orrery::host {

/// The first thread of a rank: constructors, `main`, `exit`.
[[noreturn]] void run_main(RankContext& rank);

/// Another thread of the calling rank.  Returns its context, which lives until the run ends.
ThreadContext& start_thread(void* (*function)(void*), void* argument, bool is_detached,
                            std::uintptr_t program_counter);
/// A thread of the calling rank that works for a front end; not begun yet.
ThreadContext& make_helper(OrreryThreadBody body, void* argument);
/// What the runtime is to call as the body of a thread, with its context.
void begin_thread(void* context);
/// By the handle that the program has; null if there is none, or it has been given up.
ThreadContext* find_thread(pthread_t handle);
/// The same by its number among the rank's.
ThreadContext* numbered_thread(pthread_t number);
/// Waits until it has ended.  0 or an error number.
int join_thread(pthread_t handle, void** result, std::int64_t deadline,
                std::uintptr_t program_counter);
/// As `pthread_exit`: leaves the frames of the calling thread, and calls what they have asked for.
[[noreturn]] void leave_thread(void* result);

/// Those of a mutex's `__kind` that say of which type it is.
inline constexpr int kind_bits = 3;
/// What the C library's initialiser has left in a mutex, and what we have; for the operation on it
/// that comes next.
std::uint32_t mutex_flags(const pthread_mutex_t& mutex, std::uintptr_t program_counter);

/// Goes on leaving the frames of a thread, after one of them has cleaned up.
[[noreturn]] void unwind_thread(ThreadContext& thread);

}  // namespace orrery::host
