// Who goes first: a number for each task and for each channel of messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "keyed_draw.hpp"

namespace orrery::detail {

/// Random priorities of the actors of one run, drawn by name when first asked for.  An actor is a
/// task, its deadlines (else a deadline would always win, or never), or a channel: all messages
/// from one task to one object, which are delivered in order.
class Priorities {
 public:
  void begin_run(const KeyedDraw& draw) {
    draw_ = draw;
    tasks_.clear();
    channels_.clear();
    lowest_ = fallen_below;
  }

  [[nodiscard]] std::uint64_t of(const Alternative& one) { return actor(one); }
  [[nodiscard]] std::uint64_t of_task(TaskId id) { return task(id); }
  /// Who sends it: for the choice among messages that have arrived.
  [[nodiscard]] std::uint64_t of_message(const Alternative& one) { return channel(one); }

  void set(const Alternative& one, std::uint64_t priority) { actor(one) = priority; }
  /// Below everybody, also below those that fell before.
  void drop_to_lowest(TaskId id) { task(id) = lowest_ > 0 ? --lowest_ : 0; }
  void drop_to_lowest(const Alternative& one) { set(one, lowest_ > 0 ? --lowest_ : 0); }

  /// First draws lie above this, changed ones at or above `fallen_below`, fallen ones below it.
  static constexpr std::uint64_t fallen_below = std::uint64_t{1} << 40U;
  static constexpr std::uint64_t drawn_above = std::uint64_t{1} << 41U;

 private:
  std::uint64_t& actor(const Alternative& one) {
    if (is_machine_step(one.kind)) return channel(one);
    return one.kind == OperationKind::timeout ? deadline(one.id.task) : task(one.id.task);
  }
  std::uint64_t& task(TaskId id) {
    while (tasks_.size() <= id.value) {
      tasks_.push_back(drawn(draw_.bits(tasks_.size(), 1)));
    }
    return tasks_[id.value];
  }
  std::uint64_t& channel(const Alternative& one) {
    return named(mix64(one.object.packed()) + one.id.task.value, 2);
  }
  std::uint64_t& deadline(TaskId id) { return named(mix64(~std::uint64_t{id.value}), 4); }
  std::uint64_t& named(std::uint64_t name, std::uint64_t salt) {
    const auto [entry, is_new] = channels_.try_emplace(name, 0);
    if (is_new) entry->second = drawn(draw_.bits(name, salt));
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
