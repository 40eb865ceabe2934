// What `epoll_wait` has found, in words of a log.
#pragma once

#include <cstdint>

namespace orrery::host {

/// `which`: the how many-th file it was that the list was asked to look at.
struct FoundEvent {
  std::uint32_t which;
  std::uint32_t events;
};

[[nodiscard]] constexpr std::uint64_t word_of(FoundEvent found) {
  return std::uint64_t{found.which} << 32U | found.events;
}

[[nodiscard]] constexpr FoundEvent event_in(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word >> 32U), static_cast<std::uint32_t>(word)};
}

}  // namespace orrery::host
