// Bits that several contexts foretell, each of which is right now and then: who was right counts
// for more.
//
// As in Mahoney, "Adaptive weighing of context models for lossless data compression" (2005): each
// context says how likely a bit is, what they say is added up by weights as logarithms of odds, and
// the weights follow the gradient.  Integer arithmetic only: the same bytes on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::detail {

/// Between odds and their logarithms, in 256ths.
class LogOdds {
 public:
  static constexpr std::int32_t most = 2815;

  /// How likely a bit is, out of 65536: never 0 or all.
  static constexpr std::uint32_t probability(std::int32_t log_odds) {
    const std::int32_t above = std::clamp(log_odds, -most, most) + most + 1;
    const auto step = static_cast<std::size_t>(above / step_width);
    const std::int32_t within = above % step_width;
    const std::int32_t low = steps[step];
    const std::int32_t high = steps[step + 1];
    const std::int32_t found = low + (high - low) * within / step_width;
    return static_cast<std::uint32_t>(std::clamp(found, 1, 65535));
  }
  /// `probability`: out of 65536.
  static std::int32_t of(std::uint32_t probability) {
    static const auto table = inverse();
    return table[probability / inverse_width];
  }

 private:
  static constexpr std::int32_t step_width = 128;
  static constexpr std::uint32_t inverse_width = 4;
  /// 65536 / (1 + exp(-x / 2)) for each x from -22 to 22.
  static constexpr std::array<std::int32_t, 45> steps{
      1,     2,     3,     5,     8,     13,    22,    36,    60,    98,    162,   267,
      439,   720,   1179,  1921,  3108,  4971,  7812,  11955, 17625, 24743, 32768, 40793,
      47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438,
      65476, 65500, 65514, 65523, 65528, 65531, 65533, 65534, 65535};
  static std::vector<std::int16_t> inverse() {
    std::vector<std::int16_t> table(65536 / inverse_width);
    std::int32_t log_odds = -most;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto wanted = static_cast<std::uint32_t>(i * inverse_width + inverse_width / 2);
      while (log_odds < most && probability(log_odds) < wanted) ++log_odds;
      table[i] = static_cast<std::int16_t>(log_odds);
    }
    return table;
  }
};

/// How likely one bit is to be set in a context; what came first counts for much.
class ContextBit {
 public:
  [[nodiscard]] std::int32_t log_odds() const { return LogOdds::of(state_ >> 16U); }
  void learn(bool bit) {
    const std::uint32_t seen = state_ & seen_mask;
    const std::int64_t probability = state_ >> seen_bits;
    const std::int64_t target = bit ? most : 0;
    const std::int64_t next = probability + (target - probability) * 2 / (2 * seen + 3);
    state_ = static_cast<std::uint32_t>(next) << seen_bits |
             std::min<std::uint32_t>(seen + 1, slowest_rate);
  }

 private:
  static constexpr unsigned seen_bits = 10;
  static constexpr std::uint32_t seen_mask = (1U << seen_bits) - 1;
  static constexpr std::uint32_t slowest_rate = 255;
  static constexpr std::int64_t most = (1 << (32 - seen_bits)) - 1;
  std::uint32_t state_ = std::uint32_t{1} << 31U;
};

/// The next bit, of which so many contexts tell something: a model for a `BitEncoder`.
template <std::size_t inputs>
class MixedBit {
 public:
  explicit MixedBit(std::size_t sets) : weights_(sets) {
    for (auto& set : weights_) set.fill(first_weight);
  }
  /// What comes next is weighed by these weights, which learn from it.
  void begin(std::size_t set) {
    set_ = set;
    count_ = 0;
  }
  void add(ContextBit* context) {
    contexts_[count_] = context;
    odds_[count_] = context == nullptr ? 0 : context->log_odds();
    ++count_;
  }
  void mix() {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += std::int64_t{odds_[i]} * weights_[set_][i];
    const std::int64_t log_odds = sum / one_weight;
    const auto clamped = std::clamp<std::int64_t>(log_odds, -LogOdds::most, LogOdds::most);
    probability_ = LogOdds::probability(static_cast<std::int32_t>(clamped));
  }
  [[nodiscard]] std::uint32_t probability() const { return probability_; }
  void learn(bool bit) {
    const std::int64_t error = (bit ? 65535 : 0) - std::int64_t{probability_};
    for (std::size_t i = 0; i < count_; ++i) {
      const std::int64_t change = odds_[i] * error * learning_rate / (std::int64_t{1} << 20U);
      weights_[set_][i] = static_cast<std::int32_t>(
          std::clamp<std::int64_t>(weights_[set_][i] + change, -most_weight, most_weight));
      if (contexts_[i] != nullptr) contexts_[i]->learn(bit);
    }
  }

 private:
  static constexpr std::int64_t one_weight = 65536;
  static constexpr std::int64_t most_weight = 16 * one_weight;
  static constexpr std::int32_t first_weight = one_weight * 3 / 10;
  static constexpr std::int64_t learning_rate = 10;
  std::vector<std::array<std::int32_t, inputs>> weights_;
  std::array<ContextBit*, inputs> contexts_{};
  std::array<std::int32_t, inputs> odds_{};
  std::size_t set_ = 0;
  std::size_t count_ = 0;
  std::uint32_t probability_ = 32768;
};

}  // namespace orrery::detail
