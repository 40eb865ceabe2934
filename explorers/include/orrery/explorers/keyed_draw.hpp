// Draws that depend on a key, not on how many draws came before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery {

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014, with Stafford's constants): a bijection
/// of 64-bit words in which each bit of the input moves about half of those of the output.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30U;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27U;
  x *= 0x94d049bb133111ebU;
  x ^= x >> 31U;
  return x;
}

/// A number in [0, count), `count` > 0, from a word of random bits: multiply and shift (Lemire
/// 2019, without the rejection step: the bias is below count / 2^64).
[[nodiscard]] constexpr std::uint64_t scale_to(std::uint64_t bits, std::uint64_t count) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(bits) * count) >> 64U);
}

/// The draws of one run.  A value type; two with the same (seed, run index) give the same draws
/// for the same keys, whatever else was drawn.
///
///     KeyedDraw draw(info.seed, info.run_index);
///     std::size_t index = draw.index(point);
class KeyedDraw {
 public:
  constexpr KeyedDraw() = default;
  constexpr KeyedDraw(std::uint64_t seed, std::uint64_t run_index)
      : run_key_(mix64(mix64(seed + golden) + run_index * golden)) {}

  /// 64 random bits for `key`; `salt` tells uses of one key apart.
  [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t key, std::uint64_t salt = 0) const {
    return mix64(run_key_ + (key + (salt << 56U)) * golden);
  }
  /// An index into the alternatives of `point`, as likely as its weight.  Constant time for steps,
  /// whose weights are all 1; a scan for the other kinds.
  [[nodiscard]] std::size_t index(const ChoicePoint& point) const {
    if (point.kind == ChoiceKind::step) {
      return scale_to(bits(point.question), point.alternatives.size());
    }
    return weighted_index(point);
  }
  /// A value of the question's range, as likely as its weight.
  [[nodiscard]] std::uint64_t value(const ValueQuestion& question) const;

 private:
  [[nodiscard]] std::size_t weighted_index(const ChoicePoint& point) const;

  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio, odd
  std::uint64_t run_key_ = 0;
};

}  // namespace orrery
