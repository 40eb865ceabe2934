// Numbers in as few bits as they are surprising: an adaptive binary arithmetic coder.
//
// The interval is halved as in Mahoney, "Adaptive weighing of context models for lossless data
// compression" (2005); each bit has a single model that learns fast at first, because most
// schedules are short.  Integer arithmetic only: the same bytes on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace orrery::detail {

/// How likely one bit is to be set.  Whatever has `probability` and `learn` can be coded by.
class BitModel {
 public:
  BitModel() = default;
  /// As if `set` of `all` bits had been set before; the next ones still count for much.
  BitModel(std::uint32_t set, std::uint32_t all) : seen_(seen_at_start) {
    if (all != 0) {
      probability_ = least + static_cast<std::uint32_t>(std::uint64_t{most - least} * set / all);
    }
  }
  /// Out of 65536; never nearly 0 or 1, so that a bit always costs something.
  [[nodiscard]] std::uint32_t probability() const { return probability_; }
  void learn(bool bit) {
    const auto rate = static_cast<unsigned>(seen_) + 1;
    if (seen_ < slowest_rate - 1) ++seen_;
    const std::uint32_t target = bit ? most : least;
    probability_ += (static_cast<std::int32_t>(target) - static_cast<std::int32_t>(probability_)) /
                    static_cast<std::int32_t>(rate + 1);
  }

 private:
  static constexpr std::uint32_t least = 512;
  static constexpr std::uint32_t most = 65536 - 512;
  static constexpr std::uint8_t slowest_rate = 24;
  static constexpr std::uint8_t seen_at_start = 2;
  std::uint32_t probability_ = 32768;
  std::uint8_t seen_ = 0;
};

/// The interval that all numbers lie in which begin with the bits so far.
struct BitInterval {
  std::uint32_t low = 0;
  std::uint32_t high = 0xffffffffU;

  /// The last number of the lower part, which stands for a set bit.
  template <typename Model>
  [[nodiscard]] std::uint32_t middle(const Model& model) const {
    const std::uint64_t width = std::uint64_t{high} - low;
    return low + static_cast<std::uint32_t>(width * model.probability() >> 16U);
  }
  void take(bool value, std::uint32_t middle) {
    (value ? high : low) = value ? middle : middle + 1;
  }
  /// All of its numbers begin with the same byte.
  [[nodiscard]] bool has_byte() const { return ((low ^ high) & 0xff000000U) == 0; }
  void drop_byte() {
    low <<= 8U;
    high = high << 8U | 0xffU;
  }
};

/// Writes bits.  `bit` gives back what it was given: what is built on it works both ways.
class BitEncoder {
 public:
  template <typename Model>
  bool bit(Model& model, bool value) {
    interval_.take(value, interval_.middle(model));
    model.learn(value);
    while (interval_.has_byte()) {
      bytes_.push_back(static_cast<std::byte>(interval_.high >> 24U));
      interval_.drop_byte();
    }
    return value;
  }
  /// Everything written; the coder is used up.
  [[nodiscard]] std::vector<std::byte> finish();

 private:
  BitInterval interval_;
  std::vector<std::byte> bytes_;
};

/// Reads bits.  `bit` ignores the value that it is given.
class BitDecoder {
 public:
  explicit BitDecoder(std::span<const std::byte> bytes);
  template <typename Model>
  bool bit(Model& model, bool /*ignored*/) {
    const std::uint32_t middle = interval_.middle(model);
    const bool value = code_ <= middle;
    interval_.take(value, middle);
    model.learn(value);
    while (interval_.has_byte()) {
      code_ = code_ << 8U | next_byte();
      interval_.drop_byte();
    }
    return value;
  }
  /// More was read than there can have been.
  [[nodiscard]] bool has_overrun() const { return beyond_ > 4; }
  /// How many bytes were read.
  [[nodiscard]] std::size_t position() const { return next_; }
  /// Everything was read.
  [[nodiscard]] bool is_at_end() const { return next_ == bytes_.size() && !has_overrun(); }
  /// Throws `UsageError`, which says where in the bytes of `where` it is, unless what was read is
  /// good.
  void check(bool is_good, std::string_view what, std::string_view where) const;

 private:
  std::uint32_t next_byte() {
    if (next_ < bytes_.size()) return std::to_integer<std::uint32_t>(bytes_[next_++]);
    ++beyond_;
    return 0;
  }

  std::span<const std::byte> bytes_;
  std::size_t next_ = 0;
  std::uint32_t beyond_ = 0;
  BitInterval interval_;
  std::uint32_t code_ = 0;
};

/// A symbol of a few bits, the high ones first.
template <unsigned bits>
class SymbolModel {
 public:
  static constexpr std::size_t symbols = std::size_t{1} << bits;

  SymbolModel() = default;
  /// Begins with symbols as likely as their weights say.
  SymbolModel(const std::array<std::uint32_t, symbols>& weights) {  // NOLINT: a table is a model
    std::array<std::uint32_t, 2 * symbols> sums{};
    std::ranges::copy(weights, sums.begin() + symbols);
    for (std::size_t node = symbols - 1; node > 0; --node) {
      sums[node] = sums[2 * node] + sums[2 * node + 1];
      models_[node] = BitModel(sums[2 * node + 1], sums[node]);
    }
  }
  template <typename Coder>
  std::uint32_t code(Coder& coder, std::uint32_t symbol) {
    std::uint32_t node = 1;
    for (unsigned i = bits; i-- > 0;) {
      node = node << 1U | (coder.bit(models_[node], (symbol >> i & 1U) != 0) ? 1U : 0U);
    }
    return node - (1U << bits);
  }

 private:
  std::array<BitModel, symbols> models_;
};

/// A number of any size; small ones are short.  Its length is learned, and its two highest bits.
class NumberModel {
 public:
  NumberModel() = default;
  /// Begins with a zero that is so many times likelier than any other number.
  explicit NumberModel(std::uint32_t zeros) { longer_[0] = BitModel(1, zeros + 1); }
  template <typename Coder>
  std::uint64_t code(Coder& coder, std::uint64_t number) {
    unsigned length = 0;
    const auto wanted = static_cast<unsigned>(64 - (number == 0 ? 64 : __builtin_clzll(number)));
    while (length < 64 && coder.bit(longer_[length], length < wanted)) ++length;
    if (length < 2) return length;
    std::uint64_t result = 1;
    for (unsigned i = length - 1; i-- > 0;) {
      const bool is_high = i + 3 > length;
      BitModel even;
      BitModel& model = is_high ? high_[length - 1] : even;
      result = result << 1U | (coder.bit(model, (number >> i & 1U) != 0) ? 1U : 0U);
    }
    return result;
  }

 private:
  std::array<BitModel, 64> longer_;
  std::array<BitModel, 64> high_;
};

}  // namespace orrery::detail
