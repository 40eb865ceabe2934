// `ordered(n)` loops whose iterations wait for named others: `depend(sink: ...)`, `depend(source)`.
#pragma once

#include <cstdint>
#include <span>

#include "shares.hpp"

namespace orrery::openmp {

/// Comes to such a loop.  `counts` is how often each of its nested loops goes round; the threads
/// share out the outermost.
void enter_doacross(std::span<const std::uint64_t> counts, Schedule schedule, std::uint64_t chunk);

/// The iteration with these numbers has done what others wait for.
void post_iteration(std::span<const std::uint64_t> numbers, std::uintptr_t program_counter);
/// Waits until it has.
void await_iteration(std::span<const std::uint64_t> numbers, std::uintptr_t program_counter);

/// How many numbers an iteration of the thread's loop has.
[[nodiscard]] std::size_t nested_loops();

}  // namespace orrery::openmp
