// The lives of tasks, cut where the order between them changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

#include "happens_before.hpp"
#include "vector_clock.hpp"

namespace orrery::detail {

/// Cuts what each task does into segments: at each operation by which it learns what others did, or
/// they learn what it did.  All of a segment has one vector clock.  An operation that orders
/// nothing (a `try_lock` that fails, a relaxed read) ends no segment.
class SegmentOrder {
 public:
  [[nodiscard]] static EventMask interest() { return HappensBefore::interest(); }
  void clear() {
    order_.clear();
    lives_.clear();
  }
  /// Of the task's segment at hand: its number among the task's, and its clock.
  [[nodiscard]] std::uint32_t number(TaskId task) { return life(task).number; }
  [[nodiscard]] const VectorClock& clock(TaskId task) { return life(task).clock; }
  [[nodiscard]] std::uint32_t task_count() const {
    return static_cast<std::uint32_t>(lives_.size());
  }

  /// Call `ended(task)` for each segment that ends, while it is still at hand.
  template <typename Ended>
  void begin_task(TaskId task, std::span<const TaskId> predecessors, const Ended& ended) {
    life(task);
    order_.begin_task(task, predecessors);
    for (const TaskId before : predecessors) renew(before, ended);
    renew(task, ended);
  }
  template <typename Ended>
  void apply(const Event& event, const Ended& ended) {
    order_.apply(event);
    renew(event.id.task, ended);
    // A task that was joined, or that received: what it does from now on is told apart, too.
    if (event.matched.number != 0) renew(event.matched.task, ended);
  }

 private:
  struct Life {
    std::uint32_t number = 0;
    VectorClock clock;
  };
  Life& life(TaskId task) {
    while (lives_.size() <= task.value) {
      const TaskId next{static_cast<std::uint32_t>(lives_.size())};
      lives_.push_back({0, order_.clock(next)});
    }
    return lives_[task.value];
  }
  template <typename Ended>
  void renew(TaskId task, const Ended& ended) {
    Life& one = life(task);
    const VectorClock& now = order_.clock(task);
    if (one.clock == now) return;
    ended(task);
    ++one.number;
    one.clock = now;
  }

  HappensBefore order_;
  std::vector<Life> lives_;
};

/// Are two segments of different tasks parallel?  The paper prints the test with >= and <=, for
/// clocks that tick at each operation, before it is published.  Here a release is published, then
/// the task's clock ticks: what is published is what the past has, and only less than that is not
/// known.
[[nodiscard]] inline bool are_parallel(TaskId one_task, const VectorClock& one, TaskId other_task,
                                       const VectorClock& other) {
  return one.of(one_task.value) > other.of(one_task.value) &&
         other.of(other_task.value) > one.of(other_task.value);
}

}  // namespace orrery::detail
