// Happens-before, as it would be if locks ordered nothing.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

#include "happens_before.hpp"
#include "vector_clock.hpp"

namespace orrery::detail {

/// What orders two accesses whichever way the locks are taken: starting and joining, messages,
/// semaphores, barriers, atomics and the like; and that who waits on a condition wakes after it was
/// notified.  What the host guards by locks of its own (a pipe hands on what was written) is no
/// lock of the program's, and orders.
class OrderWithoutLocks {
 public:
  [[nodiscard]] static EventMask interest() {
    return HappensBefore::interest() | EventMask::of(OperationKind::condition_notify);
  }
  void clear();
  void begin_task(TaskId task, std::span<const TaskId> predecessors) {
    order_.begin_task(task, predecessors);
  }
  void apply(const Event& event);
  [[nodiscard]] const VectorClock& clock(TaskId task) { return order_.clock(task); }
  [[nodiscard]] Epoch now(TaskId task) { return order_.now(task); }

 private:
  /// The condition on which the task sleeps; none: on none.
  ObjectId& waits_for(TaskId task);
  [[nodiscard]] bool is_hosts(ObjectId object);

  HappensBefore order_;
  std::unordered_map<std::uint64_t, VectorClock> notified_;  ///< by condition: all that notified it
  std::vector<ObjectId> waits_;                              ///< by task
  std::unordered_map<std::uint64_t, bool> are_hosts_;        ///< by mutex
};

}  // namespace orrery::detail
