// Which receive of a task is the how many-th.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
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

/// The same of those only that have no message yet: takes no more room the longer a run goes on.
class OpenReceives {
 public:
  void clear() { begun_.clear(), places_.clear(); }
  /// One begins that may be taken back; or one, or a probe, that has its message at once.
  void begin(OperationId id) { places_[id.packed()] = next_place(id.task); }
  void pass(OperationId id) { static_cast<void>(next_place(id.task)); }
  void end(OperationId id) { places_.erase(id.packed()); }
  /// Its place among those of its task.
  [[nodiscard]] std::uint64_t place_of(OperationId id) const { return places_.at(id.packed()); }

 private:
  std::uint64_t next_place(TaskId task) {
    if (task.value >= begun_.size()) begun_.resize(std::size_t{task.value} + 1);
    return begun_[task.value]++;
  }

  std::vector<std::uint64_t> begun_;  // by task
  std::unordered_map<std::uint64_t, std::uint64_t> places_;
};

}  // namespace orrery::detail
