// What a program is told that draws from a sequence which its threads share.
#pragma once

#include <cstdint>

namespace orrery {

/// The key of an `input`: what has `rand`, or one of its like, given?  Which thread gets which
/// number of the sequence is in no order that a recorder has, so that it keeps the numbers.
inline constexpr std::uint64_t random_sequence_question = 0x72616e646f6d5f73;

}  // namespace orrery
