// Epochs, each in one short number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <orrery/network_model/usage_error.hpp>

#include "vector_clock.hpp"

namespace orrery::detail {

/// From 1 on, in the order in which they came up; 0 lies before everything.
using EpochNumber = std::uint32_t;

/// Numbers the epochs in which something was accessed, so that an access needs four bytes for it.
class EpochNumbers {
 public:
  /// The numbers stay below this: what lies above is free for other uses.
  static constexpr EpochNumber end = 0x7fff'ff00U;

  EpochNumbers() { clear(); }
  void clear() {
    epochs_.assign(1, Epoch{});
    latest_.clear();
    many_ = many_min;
  }
  /// The epoch that the task of `epoch` is in: there is no way back to an earlier one.
  EpochNumber number_of(Epoch epoch) {
    if (epoch.task >= latest_.size()) latest_.resize(std::size_t{epoch.task} + 1);
    Latest& latest = latest_[epoch.task];
    if (latest.clock != epoch.clock) {
      latest = {static_cast<EpochNumber>(epochs_.size()), epoch.clock};
      epochs_.push_back(epoch);
    }
    return latest.number;
  }
  /// The same if it has one already; else 0.
  [[nodiscard]] EpochNumber known(Epoch epoch) const {
    if (epoch.task >= latest_.size()) return 0;
    const Latest& latest = latest_[epoch.task];
    return latest.clock == epoch.clock ? latest.number : 0;
  }
  [[nodiscard]] Epoch epoch(EpochNumber number) const { return epochs_[number]; }

  /// Are there so many that it is worth while to drop those that nobody uses any more?
  [[nodiscard]] bool are_many() const { return epochs_.size() >= many_; }
  /// Numbers anew those that are in use: `visit(function)` must call `function(EpochNumber&)` for
  /// each number that somebody keeps.
  template <typename Visit>
  void renumber(const Visit& visit) {
    std::vector<EpochNumber> numbers(epochs_.size());  // first whether, then how
    std::size_t visited = 0;
    visit([&](EpochNumber& one) {
      numbers[one] = 1;
      ++visited;
    });
    for (const Latest& one : latest_) numbers[one.number] = 1;
    numbers[0] = 0;
    EpochNumber next = 1;
    for (std::size_t old = 1; old < epochs_.size(); ++old) {
      if (numbers[old] == 0) continue;
      epochs_[next] = epochs_[old];
      numbers[old] = next++;
    }
    epochs_.resize(next);
    many_ = std::max(many_min, 2 * epochs_.size());
    ensure(many_ < end, "there are fewer epochs in use than numbers");
    // Not again before as many have come as it took to look at all.
    many_ = std::clamp(epochs_.size() + visited, many_, std::size_t{end} - 1);
    visit([&](EpochNumber& one) { one = numbers[one]; });
    for (Latest& one : latest_) one.number = numbers[one.number];
  }

 private:
  static constexpr std::size_t many_min = std::size_t{1} << 16U;  // they stay in a near cache
  struct Latest {
    EpochNumber number = 0;  ///< 0: none yet
    std::uint32_t clock = 0;
  };

  std::vector<Epoch> epochs_;
  std::size_t many_ = many_min;
  std::vector<Latest> latest_;  ///< by task
};

}  // namespace orrery::detail
