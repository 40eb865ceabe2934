// What a program is told that looks at a semaphore.
#pragma once

#include <cstdint>

namespace orrery {

/// The key of an `input`: how much does the semaphore hold?  Nothing orders that behind what others
/// do, so that a recorder keeps it.
inline constexpr std::uint64_t semaphore_question = 0x73656d5f76616c75;

}  // namespace orrery
