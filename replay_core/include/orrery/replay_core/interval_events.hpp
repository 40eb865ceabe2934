// What one rank has done by the end of an interval, as one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// Hashes the events of one rank's tasks from its beginning on, each task by itself: their order
/// among each other is nobody's business.  The same for two runs of an interval that are the same,
/// though helpers that the rank starts have other numbers where other ranks start none; and though
/// a send is complete at once where the receiver is not there: what completes a send is left out.
class IntervalEvents {
 public:
  /// Events and matching; what belongs to other ranks, and the machine's own, is passed over.
  [[nodiscard]] static EventMask interest() {
    return EventMask::all_events() | EventMask::matching();
  }
  /// A task of the rank, in the order in which they come to be: the first one first.
  void add_task(TaskId task);
  [[nodiscard]] bool has_task(TaskId task) const { return ordinals_.contains(task.value); }
  /// An interval begins; the hash goes on.
  void begin_interval();

  void on_matching(const MatchingStep& step);
  void on_event(const Event& event);

  [[nodiscard]] std::uint64_t hash() const;
  /// Of the interval.
  [[nodiscard]] std::uint64_t count() const { return count_ - begun_at_; }
  /// The rank's tasks so far, in the order of `add_task`.
  [[nodiscard]] const std::vector<TaskId>& tasks() const { return tasks_; }

 private:
  /// The same name for a task of the rank, whatever its number.
  [[nodiscard]] std::uint64_t named(TaskId task, std::uint32_t number) const;

  std::vector<TaskId> tasks_;
  std::vector<std::uint64_t> chains_;                          // by ordinal
  std::unordered_map<std::uint32_t, std::uint32_t> ordinals_;  // by task
  std::unordered_set<std::uint64_t> taken_;                    // sends, not complete here yet
  std::uint64_t count_ = 0;
  std::uint64_t begun_at_ = 0;  ///< `count_` when the interval began
};

}  // namespace orrery
