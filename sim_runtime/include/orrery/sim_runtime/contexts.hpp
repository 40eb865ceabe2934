// What the contexts of messages stand for.
#pragma once

#include <cstdint>

namespace orrery {

/// Contexts come in blocks, one for each communicator.
inline constexpr std::uint32_t contexts_of_a_communicator = 8;

/// Is it that of the messages which the program itself sends and receives: the first of a block?
/// The others are for what front ends send within collective operations and the like, whose
/// receives name their senders; those that go on by themselves may do so in any order.
[[nodiscard]] constexpr bool is_of_program(std::uint32_t context) {
  return context % contexts_of_a_communicator == 0;
}

}  // namespace orrery
