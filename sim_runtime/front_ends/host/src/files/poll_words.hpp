// What `poll` has found, in words of a log.
#pragma once

#include <cstddef>
#include <cstdint>

#include <poll.h>

namespace orrery::host {

inline constexpr std::size_t polls_a_word = 4;

/// What was found of as many files from that one on, as far as there are.
inline std::uint64_t poll_word(const pollfd* files, std::size_t count, std::size_t first) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < polls_a_word && first + i < count; ++i) {
    word |= std::uint64_t{static_cast<std::uint16_t>(files[first + i].revents)} << 16U * i;
  }
  return word;
}

inline void set_polls(pollfd* files, std::size_t count, std::size_t first, std::uint64_t word) {
  for (std::size_t i = 0; i < polls_a_word && first + i < count; ++i) {
    files[first + i].revents = static_cast<short>(word >> 16U * i);
  }
}

}  // namespace orrery::host
