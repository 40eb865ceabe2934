// Who goes first: a number for each task and for each channel of messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "keyed_draw.hpp"

namespace orrery::detail {

/// Random priorities of the actors of one run, drawn by name when first asked for.  An actor is a
/// task, or a channel: all messages from one task to one object, which are delivered in order.
class Priorities {
 public:
  void begin_run(const KeyedDraw& draw) {
    draw_ = draw;
    tasks_.clear();
    channels_.clear();
    lowest_ = fallen_below;
  }

  [[nodiscard]] std::uint64_t of(const Alternative& one) {
    return is_channel(one) ? channel(one) : task(one.id.task);
  }
  [[nodiscard]] std::uint64_t of_task(TaskId id) { return task(id); }
  /// Who sends it: for the choice among messages that have arrived.
  [[nodiscard]] std::uint64_t of_message(const Alternative& one) { return channel(one); }

  void set(const Alternative& one, std::uint64_t priority) {
    (is_channel(one) ? channel(one) : task(one.id.task)) = priority;
  }
  /// Below everybody, also below those that fell before.
  void drop_to_lowest(TaskId id) { task(id) = lowest_ > 0 ? --lowest_ : 0; }
  void drop_to_lowest(const Alternative& one) { set(one, lowest_ > 0 ? --lowest_ : 0); }

  /// First draws lie above this, changed ones at or above `fallen_below`, fallen ones below it.
  static constexpr std::uint64_t fallen_below = std::uint64_t{1} << 40U;
  static constexpr std::uint64_t drawn_above = std::uint64_t{1} << 41U;

 private:
  static bool is_channel(const Alternative& one) {
    return one.kind == OperationKind::deliver || one.kind == OperationKind::transfer;
  }
  std::uint64_t& task(TaskId id) {
    while (tasks_.size() <= id.value) {
      tasks_.push_back(drawn(draw_.bits(tasks_.size(), 1)));
    }
    return tasks_[id.value];
  }
  std::uint64_t& channel(const Alternative& one) {
    const std::uint64_t name = mix64(one.object.packed()) + one.id.task.value;
    const auto [entry, is_new] = channels_.try_emplace(name, 0);
    if (is_new) entry->second = drawn(draw_.bits(name, 2));
    return entry->second;
  }
  static std::uint64_t drawn(std::uint64_t bits) { return std::max(bits, drawn_above); }

  KeyedDraw draw_;
  std::vector<std::uint64_t> tasks_;
  std::unordered_map<std::uint64_t, std::uint64_t> channels_;  // looked up, never gone through
  std::uint64_t lowest_ = fallen_below;
};

/// The index of the alternative with the highest value; the first of several.
template <typename Value>
std::size_t highest(const ChoicePoint& point, Value value) {
  std::size_t best = 0;
  std::uint64_t best_value = value(point.alternatives[0]);
  for (std::size_t i = 1; i < point.alternatives.size(); ++i) {
    const std::uint64_t one = value(point.alternatives[i]);
    if (one > best_value) best = i, best_value = one;
  }
  return best;
}

}  // namespace orrery::detail
