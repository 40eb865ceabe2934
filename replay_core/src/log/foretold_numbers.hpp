// Numbers that follow each other as they have before: in periods, or as in a context that was seen.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "large_vector.hpp"
#include "mixed_bits.hpp"

namespace orrery::detail {

/// What a context is known by.
template <typename... Numbers>
[[nodiscard]] constexpr std::uint64_t context_of(Numbers... numbers) {
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t number) {
    hash = (hash + number + 1) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  };
  (add(numbers), ...);
  return hash;
}

/// The last few numbers, who came last first; at first they are 0.
template <std::size_t count>
class LastNumbers {
 public:
  [[nodiscard]] std::uint64_t operator[](std::size_t back) const { return numbers_[back]; }
  void add(std::uint64_t number) {
    std::copy_backward(numbers_.begin(), numbers_.end() - 1, numbers_.end());
    numbers_[0] = number;
  }

 private:
  std::array<std::uint64_t, count> numbers_{};
};

/// Codes numbers of any size: first how long each is, bit by bit, then what it is.  Each bit is
/// foretold by contexts, and by whole numbers that may come again, as long as they agree with it.
template <std::size_t contexts, std::size_t guesses, unsigned slot_bits>
class ForetoldNumbers {
 public:
  using Contexts = std::array<std::uint64_t, contexts>;
  using Guesses = std::array<std::uint64_t, guesses>;

  template <typename Coder>
  std::uint64_t code(Coder& coder, std::uint64_t number, const Contexts& known,
                     const Guesses& expected) {
    if (slots_.empty()) slots_.resize(std::size_t{1} << slot_bits);
    known_ = &known;
    expected_ = &expected;
    const unsigned wanted = length_of(number);
    Place at;
    while (at.length < length_max && code_bit(coder, at, at.length < wanted)) {
      at.so_far = ++at.length;
    }
    at.so_far = at.length == 0 ? 0 : 1;
    for (at.left = at.length; at.left > 1;) {
      --at.left;
      const bool bit = code_bit(coder, at, (number >> (at.left - 1) & 1U) != 0);
      at.so_far = at.so_far << 1U | (bit ? 1U : 0U);
    }
    for (std::size_t i = 0; i < guesses; ++i) {
      const unsigned hit = expected[i] == at.so_far ? 1 : 0;
      hits_[i] = (hits_[i] << 1U | hit) % hit_kinds;
    }
    return at.so_far;
  }

 private:
  static constexpr unsigned length_max = 64;
  static constexpr unsigned hit_kinds = 8;  // of the last three
  static constexpr unsigned short_lengths = 3;
  static constexpr std::size_t place_kinds = short_lengths + 2;
  /// Within a number: 0 bits left while its length is still coded, else the next is one of these.
  struct Place {
    unsigned length = 0;
    unsigned left = 0;
    std::uint64_t so_far = 0;

    [[nodiscard]] std::uint64_t packed() const { return (so_far << 7U | length) << 7U | left; }
    [[nodiscard]] std::size_t kind() const {
      return left == 0 ? std::min(length, short_lengths) : short_lengths + 1;
    }
  };

  static unsigned length_of(std::uint64_t number) {
    return static_cast<unsigned>(length_max - (number == 0 ? length_max : __builtin_clzll(number)));
  }
  template <typename Coder>
  bool code_bit(Coder& coder, const Place& at, bool bit) {
    mixed_.begin(at.left == 0 ? at.length : length_max + at.left);
    for (std::size_t i = 0; i < contexts; ++i) {
      constexpr std::uint64_t odd = 0xd6e8feb86659fd93U;
      std::uint64_t hash = ((*known_)[i] + (i + 1) * 0x9e3779b97f4a7c15U) ^ at.packed() * odd;
      hash = (hash ^ hash >> 32U) * odd;
      mixed_.add(&slots_[hash >> (64 - slot_bits)]);
    }
    for (std::size_t i = 0; i < guesses; ++i) mixed_.add(context_of_guess(i, at));
    mixed_.mix();
    return coder.bit(mixed_, bit);
  }
  /// None, where the guess is already known to be wrong.
  ContextBit* context_of_guess(std::size_t guess, const Place& at) {
    const std::uint64_t number = (*expected_)[guess];
    const unsigned length = length_of(number);
    bool bit = length > at.length;
    if (at.left == 0) {
      if (length < at.length) return nullptr;
    } else {
      if (length != at.length || number >> at.left != at.so_far) return nullptr;
      bit = (number >> (at.left - 1) & 1U) != 0;
    }
    const std::size_t kind = (guess * hit_kinds + hits_[guess]) * place_kinds + at.kind();
    return &guess_bits_[2 * kind + (bit ? 1 : 0)];
  }

  LargeVector<ContextBit> slots_;  // by context and place; several may share one
  std::array<ContextBit, 2 * guesses * hit_kinds * place_kinds> guess_bits_{};
  std::array<unsigned, guesses> hits_{};  // of each guess: whether it was right, the last few times
  const Contexts* known_ = nullptr;       // of the number that is coded
  const Guesses* expected_ = nullptr;
  MixedBit<contexts + guesses> mixed_{2 * length_max + 1};
};

}  // namespace orrery::detail
