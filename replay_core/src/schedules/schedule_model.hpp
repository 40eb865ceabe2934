// What the encoder and the decoder of schedules both know, so that little has to be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedule.hpp"

namespace orrery::detail {

/// An operation as a task does it: an object that the task made itself is named without the task,
/// so that tasks with the same body do the same.
struct RelativeOperation {
  OperationKind kind = OperationKind::none;
  bool is_own = false;
  std::uint32_t creator = 0;  ///< 0 for own ones
  std::uint32_t number = 0;

  static RelativeOperation of(OperationKind kind, ObjectId object, TaskId task) {
    const bool is_own = object.creator == task;
    return {kind, is_own, is_own ? 0 : object.creator.value, object.number};
  }
  [[nodiscard]] ObjectId object(TaskId task) const {
    return {is_own ? task : TaskId{creator}, number};
  }
  [[nodiscard]] std::uint64_t key() const;
  friend bool operator==(const RelativeOperation&, const RelativeOperation&) = default;
};

/// The machine's first own object: what tasks start, end and join at.
inline constexpr ObjectId tasks_object{TaskId{0xffffffffU}, 1};

/// Learns from the entries so far.  Tables are only looked up, never gone through, so their order
/// does not matter.
class ScheduleModel {
 public:
  /// How many of the tasks that ran last are named by their place in that order.
  static constexpr std::size_t recent_max = 30;

  struct Send {
    std::uint32_t number = 0;
    bool is_delivered = false;
    ObjectId object;
  };
  /// What a task has read off clocks.
  struct Clock {
    std::uint64_t date = 0;    ///< the last time
    std::uint64_t change = 0;  ///< since the time before
  };
  struct Task {
    Clock clock;
    std::uint32_t last_number = 0;
    OperationKind last_kind = OperationKind::none;
    ObjectId last_object = tasks_object;
    std::uint64_t last_key = 0;
    std::uint64_t key_before = 0;
    std::vector<Send> sends;  ///< by number
    std::size_t first_undelivered = 0;
  };

  ScheduleModel() { learn_object(tasks_object); }

  [[nodiscard]] Task& task(TaskId id) { return tasks_[id.value]; }
  /// Tasks in the order in which they ran last, the last one first.
  [[nodiscard]] const std::vector<TaskId>& recent() const { return recent_; }
  /// The task that nobody has seen yet, if they come in the order of their numbers.
  [[nodiscard]] TaskId next_new_task() const { return TaskId{tasks_seen_}; }
  /// What followed the task's last two operations (`depth` 2) or its last one (1), the last time.
  [[nodiscard]] std::optional<RelativeOperation> guess(TaskId id, unsigned depth);
  /// The delivery of the oldest send of that task that is still on its way.
  [[nodiscard]] std::optional<ScheduleEntry> guess_delivery(TaskId id);

  /// Objects by the order of their first appearance.
  [[nodiscard]] std::optional<std::size_t> object_index(ObjectId object) const;
  [[nodiscard]] std::optional<ObjectId> object_at(std::uint64_t index) const;
  /// The next new object, if whoever made the last one makes it.
  [[nodiscard]] ObjectId expected_object() const { return expected_object_; }

  /// Takes in one entry, after it was written or read.
  void learn(const ScheduleEntry& entry);

 private:
  static std::uint64_t context(const Task& task, unsigned depth);
  void learn_task_step(const ScheduleEntry& entry);
  void learn_delivery(OperationId send);
  void move_to_front(TaskId id);
  void learn_object(ObjectId object);

  std::unordered_map<std::uint32_t, Task> tasks_;
  std::vector<TaskId> recent_;
  std::uint32_t tasks_seen_ = 0;
  std::unordered_map<std::uint64_t, RelativeOperation> followers_;
  ObjectId expected_object_;
  std::vector<ObjectId> objects_;
  std::unordered_map<std::uint64_t, std::size_t> object_indices_;
};

/// Is the step one that a task takes by itself, not a deadline and not the machine's?
[[nodiscard]] constexpr bool is_task_step(OperationKind kind) {
  return kind != OperationKind::timeout && !is_machine_step(kind);
}

}  // namespace orrery::detail
