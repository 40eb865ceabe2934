// Which of the writes of a program, as observers are told of them, give memory back.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// Has an unchanged program, in the run that goes on on this thread, given back a block of memory
/// there?  That is told as a write of all its bytes, at the return address of the call, which is
/// that of no other write.
[[nodiscard]] bool frees_memory_at(ProgramCounter counter);

/// Goes up with each such block: where it stands as it stood when accesses were told before, there
/// is no such write among those that are told now.
[[nodiscard]] std::uint64_t free_count();

}  // namespace orrery
