// What a replay of real threads is told since no order that a recorder keeps tells it.
#pragma once

#include <cstdint>

namespace orrery {

/// The key of an `input`: what has `rand`, or one of its like, given?  All threads draw from one
/// sequence.
inline constexpr std::uint64_t random_sequence_question = 0x72616e646f6d5f73;
/// What has a call come to that could not wait for a pipe or the like to have bytes or room, or
/// that waited for one of several?  Or which signal has come in a call?
inline constexpr std::uint64_t transfer_question = 0x7472616e73666572;

constexpr bool is_told_question(std::uint64_t key) {
  return key == random_sequence_question || key == transfer_question;
}

}  // namespace orrery
