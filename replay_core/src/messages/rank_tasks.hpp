// Which tasks work for which rank, and where the calls of other ranks go: as messages tell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Learns from what its owner, an observer of matching, hands on.
class RankTasks {
 public:
  void on_matching(const MatchingStep& step) {
    const bool is_sent = step.kind == MatchingStep::Kind::sent;
    if (!is_sent && step.kind != MatchingStep::Kind::posted) return;
    const std::int32_t rank = is_sent ? step.source : step.destination;
    const TaskId task = is_sent ? step.send.task : step.receiver.task;
    ranks_[task.value] = rank;
    const auto [first, is_new] = first_tasks_.try_emplace(rank, task);
    if (!is_new) first->second = std::min(first->second, task);
    if (step.is_call) calls_[step.send.packed()] = step.destination;
  }
  /// -1: the task has neither sent nor received.
  [[nodiscard]] std::int32_t rank_of(TaskId task) const {
    const auto found = ranks_.find(task.value);
    return found == ranks_.end() ? -1 : found->second;
  }
  /// The first task of the process that a call is on its way to; nothing for other messages.
  /// Whoever has a window has sent something when it made the window with the others.
  [[nodiscard]] std::optional<TaskId> target_of(OperationId call) const {
    const auto found = calls_.find(call.packed());
    if (found == calls_.end()) return std::nullopt;
    const auto first = first_tasks_.find(found->second);
    return first == first_tasks_.end() ? std::nullopt : std::optional(first->second);
  }
  /// It has arrived; the same.
  std::optional<TaskId> end_call(OperationId call) {
    const std::optional<TaskId> target = target_of(call);
    calls_.erase(call.packed());
    return target;
  }

 private:
  std::unordered_map<std::uint32_t, std::int32_t> ranks_;  // by task
  std::unordered_map<std::int32_t, TaskId> first_tasks_;   // by rank
  std::unordered_map<std::uint64_t, std::int32_t> calls_;  // by the send: to which rank
};

}  // namespace orrery::detail
