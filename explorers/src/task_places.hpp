// How far the tasks of a run have come, so that it means the same in runs that poll more or less.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// So many operations, but for reads that follow a read; of these so many since, but for those of
/// what was just read; and of these so many since.  A loop that polls is one operation, however
/// often it looks, so what comes behind it has the same place.
struct TaskPlace {
  std::uint32_t operations = 0;
  std::uint32_t reads = 0;
  std::uint32_t repeats = 0;
  friend auto operator<=>(const TaskPlace&, const TaskPlace&) = default;
};

/// An operation of a task by its place.
struct PlacedOperation {
  TaskId task;
  TaskPlace place;
  friend auto operator<=>(const PlacedOperation&, const PlacedOperation&) = default;
};

/// Follows the steps of a run, or of a schedule.
class TaskPlaces final : public Observer {
 public:
  [[nodiscard]] EventMask interest() const override { return EventMask::steps(); }
  void begin_run(const RunInfo&) override {
    tasks_.clear();
    last_.reset();
  }
  void on_step(const Alternative& taken) override {
    last_.reset();
    if (!is_machine_step(taken.kind)) last_ = step(taken).task;
  }
  /// Who has done the last step; nobody, where the machine has.
  [[nodiscard]] std::optional<TaskId> last() const { return last_; }

  /// Was that the task's last step?
  [[nodiscard]] bool has_done(OperationId id) const {
    return id.task.value < tasks_.size() && tasks_[id.task.value].number == id.number;
  }
  /// The task has done this; the place that it had.
  PlacedOperation step(const Alternative& taken);
  /// The place of what a task is to do next.
  [[nodiscard]] PlacedOperation of(const Alternative& next) const;

 private:
  struct Task {
    TaskPlace place;
    std::uint32_t number = 0;  ///< of the last operation; one may have several steps
    bool has_read = false;
    ObjectId object = {};
  };

  std::vector<Task> tasks_;
  std::optional<TaskId> last_;
};

}  // namespace orrery::detail
