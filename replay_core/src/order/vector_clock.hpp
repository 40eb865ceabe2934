// When something happened, as happens-before counts it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::detail {

/// A stretch of one task's life, between two of its releases: they count from 1, so that the
/// epoch 0 lies before everything.
struct Epoch {
  std::uint32_t task = 0;
  std::uint32_t clock = 0;
  friend constexpr bool operator==(Epoch, Epoch) = default;
};

/// Up to where each task's life is known to lie in the past.
class VectorClock {
 public:
  [[nodiscard]] std::uint32_t of(std::uint32_t task) const {
    return task < clocks_.size() ? clocks_[task] : 0;
  }
  [[nodiscard]] bool covers(Epoch epoch) const { return epoch.clock <= of(epoch.task); }
  void tick(std::uint32_t task) {
    if (task >= clocks_.size()) clocks_.resize(std::size_t{task} + 1);
    ++clocks_[task];
  }
  void join(const VectorClock& other) {
    if (other.clocks_.size() > clocks_.size()) clocks_.resize(other.clocks_.size());
    std::uint32_t* own = clocks_.data();
    for (const std::uint32_t one : other.clocks_) {
      *own = std::max(*own, one);
      ++own;
    }
  }
  friend bool operator==(const VectorClock&, const VectorClock&) = default;

 private:
  std::vector<std::uint32_t> clocks_;
};

}  // namespace orrery::detail
