// Operations numbered without the texts that a program writes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/ids.hpp>

namespace orrery::detail {

/// A replay may write more than the recorded run did, to look at it: so the log counts the
/// operations of a task without those that write.
class NumbersWithoutOutput {
 public:
  void clear() { outputs_.clear(); }
  /// A step is taken.
  void note(const Alternative& step) {
    if (step.kind != OperationKind::output) return;
    const std::size_t task = step.id.task.value;
    if (task >= outputs_.size()) outputs_.resize(task + 1);
    outputs_[task].push_back(step.id.number);
  }
  [[nodiscard]] OperationId of(OperationId id) const {
    if (id.task.value >= outputs_.size()) return id;
    const std::vector<std::uint32_t>& own = outputs_[id.task.value];
    const auto later = std::lower_bound(own.begin(), own.end(), id.number);
    return {id.task, id.number - static_cast<std::uint32_t>(later - own.begin())};
  }

 private:
  std::vector<std::vector<std::uint32_t>> outputs_;  // by task: numbers, ascending
};

}  // namespace orrery::detail
