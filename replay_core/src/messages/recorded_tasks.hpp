// Which task of a replay is which of the recorded run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/ids.hpp>

namespace orrery::detail {

/// Who started which task: for a log, so that a replay knows its tasks again.
class TaskStarters {
 public:
  void clear() { starters_.clear(); }
  void on_task(TaskId task, std::span<const TaskId> predecessors);
  void add_to(MessageRecords& records) const;

 private:
  std::vector<TaskId> starters_;  // by task
};

/// Tasks are numbered as they come to be, which another order of steps changes.  What stays is who
/// started a task, as its how many-th.
class RecordedTasks {
 public:
  void begin(const MessageRecords& records);
  void on_task(TaskId task, std::span<const TaskId> predecessors);
  /// As the log calls it.  Tasks that the log does not name have numbers that none of it has.
  [[nodiscard]] TaskId of(TaskId task) const {
    return task.value < recorded_.size() ? recorded_[task.value] : task;
  }
  [[nodiscard]] OperationId of(OperationId id) const { return {of(id.task), id.number}; }
  /// Is it one that the log may name?
  [[nodiscard]] static bool is_known(TaskId recorded) { return recorded.value < unknown; }
  /// As the replay calls it.
  [[nodiscard]] TaskId here(TaskId recorded) const;

 private:
  static constexpr std::uint32_t unknown = 1U << 31U;

  bool has_starters_ = false;                 // else tasks have the numbers that they had
  std::vector<TaskId> recorded_;              // by task of the replay
  std::vector<std::vector<TaskId>> started_;  // by recorded task: those it started
  std::vector<std::size_t> next_;             // of these, by recorded task
};

}  // namespace orrery::detail
