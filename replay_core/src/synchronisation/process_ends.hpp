// Where a thread ends its process, and with it the threads that still run.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/names.hpp>

namespace orrery::detail {

/// The step by which a task comes to that; where no others run, there is none.
[[nodiscard]] inline bool ends_process(OperationKind kind) {
  return kind == OperationKind::task_end;
}

/// When a replay lets a process end.  Tasks are the replay's.
class ProcessEnds {
 public:
  void begin(const RunInfo& info) {
    pending_ = info.pending;
    names_ = info.names;
    are_let_ = false;
  }
  /// May the task end its process: when no other one of it `has_more` to do?  Who is not there yet
  /// will be started by one of these.
  template <typename HasMore>
  [[nodiscard]] bool may_come(TaskId ending, const HasMore& has_more) const {
    bool are_over = true;
    if (!are_let_) for_others(ending, [&](TaskId other) { are_over &= !has_more(other); });
    return are_over;
  }
  /// For each that still runs there.
  template <typename Function>
  void for_others(TaskId ending, const Function& function) const {
    const ProcessId process = names_->process(ending);
    for (std::uint32_t i = 0; i < pending_->task_count(); ++i) {
      const TaskId other{i};
      if (other == ending || pending_->state(other) == TaskState::ended) continue;
      if (names_->process(other) == process) function(other);
    }
  }
  /// Those that end with it, and itself, as `called` by the log.
  template <typename Called>
  [[nodiscard]] std::vector<TaskId> ended_by(TaskId ending, const Called& called) const {
    std::vector<TaskId> ended{called(ending)};
    for_others(ending, [&](TaskId other) { ended.push_back(called(other)); });
    return ended;
  }
  /// Does a task wait for that?
  [[nodiscard]] bool are_due() const {
    for (std::uint32_t i = 0; i < pending_->task_count(); ++i) {
      const bool has_ended = pending_->state(TaskId{i}) == TaskState::ended;
      if (!has_ended && ends_process(pending_->operation(TaskId{i}).kind)) return true;
    }
    return false;
  }
  /// Nobody else can go on: real threads may have been ended in the middle of an operation.  True:
  /// they had to wait until now.
  bool let() { return !std::exchange(are_let_, true); }
  [[nodiscard]] bool are_let() const { return are_let_; }

 private:
  const PendingOperations* pending_ = nullptr;
  const Names* names_ = nullptr;
  bool are_let_ = false;
};

}  // namespace orrery::detail
