// The next stamps of all tasks of a replay, and the least of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery::detail {

/// A tree of minima: its leaves are tasks, and nothing is allocated while a run goes.
class StampOrder {
 public:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  /// Of tasks with numbers below that, which have none.
  void begin(std::size_t tasks) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(tasks, 1));
    least_.assign(2 * leaves_, none);
  }
  /// In place of what the task had; `none`: nothing.
  void put(TaskId task, std::uint64_t stamp) {
    std::size_t node = leaves_ + task.value;
    least_[node] = stamp;
    while (node > 1) {
      node /= 2;
      const std::uint64_t least = std::min(least_[2 * node], least_[2 * node + 1]);
      if (least_[node] == least) return;
      least_[node] = least;
    }
  }
  void remove(TaskId task) { put(task, none); }
  [[nodiscard]] std::uint64_t least() const { return least_[1]; }
  [[nodiscard]] bool empty() const { return least() == none; }
  /// Whose the least is, of several the one with the smallest number; not if it is empty.
  [[nodiscard]] TaskId first() const {
    std::size_t node = 1;
    while (node < leaves_) node = least_[2 * node] == least_[node] ? 2 * node : 2 * node + 1;
    return TaskId{static_cast<std::uint32_t>(node - leaves_)};
  }

 private:
  std::size_t leaves_ = 1;
  std::vector<std::uint64_t> least_ = {none, none};  // of the nodes below; the root is 1
};

}  // namespace orrery::detail
