// Reductions that tasks take part in: `task_reduction`, `in_reduction`, `reduction(task, ...)`.
//
// Compilers describe them in arrays of words, one for each construct:
//   0: how many variables   1: bytes for each thread   2: alignment; from us: the memory
//   4: the next array; of the last, from us: that of the construct around   6: from us: its end
//   7, 8, 9; 10, 11, 12; ...: of each variable its address, its place in a thread's part, (ours)
// Each thread has a part, zero at first, in which its tasks work; the compiler's code combines
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "settings.hpp"
#include "team.hpp"

namespace orrery::openmp {

/// Gives the arrays memory for so many threads; around them is `outer`.
void make_parts(std::uintptr_t* arrays, std::uintptr_t* outer, int threads);
/// The same memory as another thread has given its own arrays of the same construct.
void share_parts(std::uintptr_t* arrays, const std::uintptr_t* first, std::uintptr_t* outer);
void free_parts(std::uintptr_t* arrays);

/// Finds the calling thread's own part of each variable, or of a part of one that a task around it
/// has been given.  For the first `original_count` also the variable itself, at `count` behind it.
void find_parts(std::size_t count, std::size_t original_count, void** variables);

/// At the beginning of a loop, of sections or of a scope: its reductions of tasks, and memory of
/// its own (zero at first, of the size that `*memory` says); each may be null.
void take_extras(std::uintptr_t* reductions, void** memory);
/// Before the barrier at the end of a construct with reductions of tasks.
void leave_reductions(std::uintptr_t program_counter);

/// What `GOMP_loop_start` and its kin are given: a schedule of `omp_sched_t`, with a modifier.
[[nodiscard]] Schedule schedule_numbered(long number);

}  // namespace orrery::openmp
