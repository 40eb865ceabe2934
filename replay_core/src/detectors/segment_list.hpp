// The segments that are over, and that a later one may still be parallel with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>

#include "order/segment_order.hpp"
#include "segment.hpp"
#include "segment_index.hpp"

namespace orrery::detail {

/// Holds segments, each task's in its order, and drops those that have become obsolete.  That is
/// told by snooped matrix clocks (De Bosschere and Ronsse, "Clock snooping and its application in
/// on-the-fly data race detection", I-SPAN 1997): a segment is obsolete once the clock of every
/// other task, looked at where it is, knows of it.
class SegmentList {
 public:
  struct Counts {
    std::uint64_t added = 0;
    std::uint64_t compared = 0;
    std::uint64_t held_max = 0;
    std::uint64_t bytes_max = 0;
  };

  /// How the list stood when a segment ended.
  struct Moment {
    std::uint64_t held = 0;
    std::uint64_t bytes = 0;
    std::uint64_t needed = 0;  ///< of those held: still to be compared with one that is parallel
  };

  /// `keeps_moments`: `moments` can be asked for.
  SegmentList(bool drops_obsolete, bool keeps_moments)
      : drops_obsolete_(drops_obsolete), keeps_moments_(keeps_moments) {}
  void clear();
  /// One that is over, and has been compared.
  void add(Segment segment);
  /// Calls `function(segment)` for each that is parallel with this one, which is not on the list.
  template <typename Function>
  void for_each_parallel(const Segment& segment, const Function& function) const {
    for (const auto& of_task : held_) {
      for (auto one = of_task.rbegin(); one != of_task.rend(); ++one) {
        const Segment& other = one->segment;
        if (other.task == segment.task) break;
        // What the task did before that one is known, too.
        if (!are_parallel(segment.task, segment.clock, other.task, other.clock)) break;
        function(other);
      }
    }
  }
  /// The same for a segment that is over, counted; but the function is spared most of those that
  /// have nothing in common.
  template <typename Function>
  void compare(const Segment& segment, const Function& function) {
    find_parallel(segment);
    for (std::uint32_t task = 0; task < held_.size(); ++task) {
      std::deque<Held>& of_task = held_[task];
      if (since_[task] == of_task.size() || !perhaps_[task]) continue;
      for (std::size_t i = of_task.size(); i-- > since_[task];) {
        const Segment& other = of_task[i].segment;
        if (segment.may_race(other)) function(other);
      }
    }
  }
  /// Drops those that no task that is alive can come up against.  `waits_for(task)`: the task that
  /// it cannot go on before the end of, if there is one; what it has done so far is on the list.
  template <typename WaitsFor>
  void drop_obsolete(SegmentOrder& order, const std::vector<bool>& has_ended,
                     const WaitsFor& waits_for);
  void forget(AddressRange range);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// How many had to be held at most, as it turned out in the end: from where each was added to
  /// where the last one that is parallel with it ended.
  [[nodiscard]] std::uint64_t needed_max() const;
  /// One for each segment that has been added.
  [[nodiscard]] std::vector<Moment> moments() const;

 private:
  struct Held {
    Segment segment;
    std::uint64_t added = 0;  ///< how many had been added before it
    /// How many had been when one was compared with this and all later ones of the task.
    std::uint64_t last_needed = 0;
  };
  /// Of a task, which segments are parallel with the one at hand, and may have bytes in common.
  void find_parallel(const Segment& segment);
  [[nodiscard]] std::size_t first_parallel(std::uint32_t task, const Segment& segment) const;
  void begin_index();
  [[nodiscard]] static bool knows(SegmentOrder& order, TaskId task, const Segment& segment) {
    const TaskId owner = segment.task;
    return task == owner || order.clock(task).of(owner.value) >= segment.clock.of(owner.value);
  }
  [[nodiscard]] std::vector<std::uint64_t> needed() const;
  void drop_first(std::uint32_t task);
  /// By how many had been added: of how many more, or less, are needed.
  using NeedChanges = std::vector<std::int32_t>;
  static void note_need(const Held& one, std::uint64_t& last_needed, NeedChanges& changes);

  bool drops_obsolete_;
  bool keeps_moments_;
  std::vector<std::deque<Held>> held_;      ///< by task
  std::vector<std::uint32_t> unknowing_;    ///< by task: who did not know of its first one, lately
  std::vector<std::uint64_t> last_needed_;  ///< by task: of those that are not held any more
  std::uint64_t held_count_ = 0;
  std::uint64_t held_bytes_ = 0;
  NeedChanges need_changes_;
  std::vector<Moment> moments_;  ///< without what is needed
  Counts counts_;

  SegmentIndex index_;
  // Of the segment at hand, by task.
  std::vector<std::size_t> since_;  ///< the first that is parallel
  std::vector<SegmentIndex::Number> since_numbers_;
  std::vector<bool> perhaps_;  ///< may there be one that races?
};

template <typename WaitsFor>
void SegmentList::drop_obsolete(SegmentOrder& order, const std::vector<bool>& has_ended,
                                const WaitsFor& waits_for) {
  if (!drops_obsolete_) return;
  const auto is_ignorant = [&](std::uint32_t task, const Segment& segment) {
    if (task >= order.task_count() || (task < has_ended.size() && has_ended[task])) return false;
    // Who waits for another to end will know all that the other does.
    std::uint32_t left = order.task_count();
    for (std::optional<TaskId> one = TaskId{task}; one && left > 0; one = waits_for(*one), --left) {
      if (knows(order, *one, segment)) return false;
    }
    return true;
  };
  for (std::uint32_t owner = 0; owner < held_.size(); ++owner) {
    std::deque<Held>& of_task = held_[owner];
    while (!of_task.empty()) {
      const Segment& first = of_task.front().segment;
      if (is_ignorant(unknowing_[owner], first)) break;
      std::uint32_t task = 0;
      while (task < order.task_count() && !is_ignorant(task, first)) ++task;
      if (task < order.task_count()) {
        unknowing_[owner] = task;
        break;
      }
      drop_first(owner);
    }
  }
  counts_.held_max = std::max(counts_.held_max, held_count_);
}

}  // namespace orrery::detail
