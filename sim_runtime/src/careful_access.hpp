// Memory of the program's that may not be there, or not be written to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::detail {

/// Up to eight bytes as a number, the first one the least; 0 where there is no memory.  Whoever
/// watches a step looks before the program does, whose own access is to be the one that faults.
[[nodiscard]] std::uint64_t careful_load(const void* from, std::size_t bytes);

/// Has them hold that number; nothing happens where nobody can write.
void careful_store(void* to, std::size_t bytes, std::uint64_t value);

/// In the handler of a fault, with its `ucontext_t`: was it one of these?  Then it goes on.
[[nodiscard]] bool resume_careful_access(void* context);
/// There is such a handler from now on, or there is none any more.  Where there is none, as in a
/// process that a debugger holds, the system is asked each time.
void set_resumes_careful_accesses(bool is_so);

}  // namespace orrery::detail
