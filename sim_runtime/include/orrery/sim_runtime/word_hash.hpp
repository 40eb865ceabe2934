// Hashes of memory: has it changed?
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace orrery::detail {

struct WordHash {
  std::uint64_t value;
  bool is_zero;
};

/// Of `words` words of eight bytes, a multiple of eight.  Every step can be undone, so words that
/// differ in one place never have one hash, and others with a chance of 2^-64.
inline WordHash hash_words(const std::uint64_t* words, std::size_t count) {
  constexpr std::size_t lanes = 8;
  constexpr std::uint64_t multiplier = 0x9fb2'1c65'1e98'df25U;
  std::uint64_t state[lanes] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t word = words[i + lane];
      all |= word;
      const std::uint64_t mixed = (state[lane] ^ word) * multiplier;
      state[lane] = mixed ^ mixed >> 32U;
    }
  }
  std::uint64_t value = 0;
  for (const std::uint64_t lane : state) {
    value = (value ^ lane) * multiplier;
    value ^= value >> 29U;
  }
  return {value, all == 0};
}

/// Of any bytes, aligned to eight.
inline std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  constexpr std::size_t stripe_bytes = 64;
  const std::size_t whole = bytes.size() / stripe_bytes * stripe_bytes;
  std::uint64_t rest[stripe_bytes / 8] = {};
  std::memcpy(rest, bytes.data() + whole, bytes.size() - whole);
  const std::uint64_t first =
      hash_words(reinterpret_cast<const std::uint64_t*>(bytes.data()), whole / 8).value;
  return first ^ (hash_words(rest, stripe_bytes / 8).value + bytes.size()) * 0x9e37'79b9'7f4a'7c15U;
}

}  // namespace orrery::detail
