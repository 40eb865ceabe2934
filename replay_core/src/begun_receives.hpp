// Which receive of a task is the how many-th.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery::detail {

/// Numbers the receives of each task in the order in which they begin, which is that of their
/// operations.
class BegunReceives {
 public:
  void clear() { by_task_.clear(); }
  void add(OperationId id) {
    if (id.task.value >= by_task_.size()) by_task_.resize(std::size_t{id.task.value} + 1);
    by_task_[id.task.value].push_back(id.number);
  }
  [[nodiscard]] std::size_t count(TaskId task) const {
    return task.value < by_task_.size() ? by_task_[task.value].size() : 0;
  }
  /// Its place among those of its task; nothing for a receive that was not added.
  [[nodiscard]] std::optional<std::size_t> place_of(OperationId id) const {
    if (id.task.value >= by_task_.size()) return std::nullopt;
    const std::vector<std::uint32_t>& own = by_task_[id.task.value];
    // Mostly one of the last ones is asked about.
    const auto found = std::lower_bound(own.begin(), own.end(), id.number);
    if (found == own.end() || *found != id.number) return std::nullopt;
    return static_cast<std::size_t>(found - own.begin());
  }

 private:
  std::vector<std::vector<std::uint32_t>> by_task_;
};

}  // namespace orrery::detail
