// Whose turn it is at each group of variables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <orrery/replay_core/access_records.hpp>

namespace orrery::detail {

/// The orders of a log, as a replay walks over them.
class TurnOrders {
 public:
  /// The records must outlive the run.
  void begin(const AccessRecords& records) {
    orders_ = &records.orders;
    heads_.assign(records.orders.size(), Head{});
  }
  /// Whose turn it is; nothing: no more turns.
  [[nodiscard]] std::optional<TaskId> whose(std::uint32_t group) const {
    if (group >= heads_.size()) return std::nullopt;
    const auto& order = (*orders_)[group];
    const Head& head = heads_[group];
    return head.turn < order.size() ? std::optional(order[head.turn].task) : std::nullopt;
  }
  void take(std::uint32_t group) {
    Head& head = heads_[group];
    ++head.taken;
    const auto& order = (*orders_)[group];
    if (head.turn == order.size()) return;  // nobody's in particular
    ++head.within;
    const std::uint64_t count = order[head.turn].count;
    if (count == 0 || head.within < count) return;
    head.within = 0;
    ++head.turn;
  }
  /// Is the task still to come?
  [[nodiscard]] bool has_left(std::uint32_t group, TaskId task) const {
    if (group >= heads_.size()) return false;
    const auto left = std::span((*orders_)[group]).subspan(heads_[group].turn);
    return std::ranges::find(left, task, &AccessRecords::Turns::task) != left.end();
  }
  /// Has the group an order at all?  Without one whoever comes has the turn.
  [[nodiscard]] bool is_ordered(std::uint32_t group) const {
    return group < heads_.size() && !(*orders_)[group].empty();
  }
  /// How many have been taken.
  [[nodiscard]] std::uint64_t taken(std::uint32_t group) const {
    return group < heads_.size() ? heads_[group].taken : 0;
  }

 private:
  struct Head {
    std::size_t turn = 0;
    std::uint64_t within = 0;  // of its accesses
    std::uint64_t taken = 0;   // of all
  };
  const std::vector<std::vector<AccessRecords::Turns>>* orders_ = nullptr;
  std::vector<Head> heads_;
};

}  // namespace orrery::detail
