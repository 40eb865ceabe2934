// What happens before what: a clock for each task, moved on by what the tasks do to each other.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

#include "object_table.hpp"
#include "vector_clock.hpp"

namespace orrery::detail {

/// The happens-before order of one run, as its events tell it.  Where an event does not tell
/// enough, it orders more than it must: a race may then be missed, but none is invented.
class HappensBefore {
 public:
  /// The events that it needs.
  [[nodiscard]] static EventMask interest();
  void clear();
  void begin_task(TaskId task, std::span<const TaskId> predecessors);
  /// Takes every event that orders; others leave it as it is.
  void apply(const Event& event);

  [[nodiscard]] const VectorClock& clock(TaskId task) { return life(task).clock; }
  /// For who orders messages otherwise than `apply` does: all that is known at `clock` comes before
  /// what the task does from now on.
  void learn(TaskId task, const VectorClock& clock) { life(task).clock.join(clock); }
  /// What the task does from now on is told from what it did before.
  void begin_stretch(TaskId task) { life(task).clock.tick(task.value); }
  [[nodiscard]] Epoch now(TaskId task) { return {task.value, life(task).clock.of(task.value)}; }

 private:
  struct Life {
    VectorClock clock;
    VectorClock before_fence;  ///< what its last release fence publishes by relaxed writes
    VectorClock seen_relaxed;  ///< what its next acquire fence learns from its relaxed reads
  };
  /// One meeting at a barrier.
  struct Meeting {
    std::uint64_t number = 0;
    std::uint32_t inside = 0;  ///< arrived and not known to have gone on
    VectorClock arrivals;
  };
  struct Object {
    VectorClock released;  ///< what whoever acquires it learns
    VectorClock readers;   ///< of a reader-writer lock: what the next writer learns besides
    std::vector<Meeting> meetings;  ///< of a barrier: those that somebody has not left yet
  };

  Life& life(TaskId task) {
    return task.value < lives_.size() ? lives_[task.value] : begin_life(task);
  }
  [[gnu::noinline]] Life& begin_life(TaskId task);
  void acquire(const Event& event, bool as_writer);
  void release(const Event& event, ObjectId object);
  void release_reader(const Event& event);
  void lock(const Event& event);
  void arrive(const Event& event);
  void leave(const Event& event);
  void atomic(const Event& event);
  void fence(const Event& event);
  void send(const Event& event);
  void learn_from(const Event& event);

  std::vector<Life> lives_;
  ObjectTable<Object> objects_;
  std::unordered_map<std::uint64_t, VectorClock> sends_;  ///< by the send; until it is received
};

}  // namespace orrery::detail
