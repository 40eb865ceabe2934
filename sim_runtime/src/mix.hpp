// A good 64-bit mixing function.
#pragma once

#include <cstdint>

namespace orrery::detail {

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014) over both words: a keyed draw.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a + 0x9e3779b97f4a7c15U * (b + 1);
  z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
  return z ^ z >> 31U;
}

}  // namespace orrery::detail
