// Looking at memory of the program's that may not be there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::detail {

/// Up to eight bytes as a number, the first one the least; 0 where there is no memory.  Whoever
/// watches a step looks before the program does, whose own access is to be the one that faults.
/// (Where no `CrashReporter` is, the fault is as any.)
[[nodiscard]] std::uint64_t careful_load(const void* from, std::size_t bytes);

/// In the handler of a fault, with its `ucontext_t`: was it that?  Then it goes on, with 0.
[[nodiscard]] bool resume_careful_load(void* context);

}  // namespace orrery::detail
