#include "recorded_tasks.hpp"

#include <algorithm>

namespace orrery::detail {

void TaskStarters::on_task(TaskId task, std::span<const TaskId> predecessors) {
  starters_.resize(std::max<std::size_t>(starters_.size(), std::size_t{task.value} + 1));
  starters_[task.value] = predecessors.empty() ? TaskId{} : predecessors.front();
}

void TaskStarters::add_to(MessageRecords& records) const {
  const auto first =
      std::ranges::find_if(starters_, [](TaskId starter) { return starter != TaskId{}; });
  records.first_started = static_cast<std::uint32_t>(first - starters_.begin());
  records.starters.assign(first, starters_.end());
}

void RecordedTasks::begin(const MessageRecords& records) {
  recorded_.clear();
  started_.clear();
  next_.clear();
  has_starters_ = !records.starters.empty();
  const std::uint32_t first_started = has_starters_ ? records.first_started : 0;
  if (first_started > 1) started_.emplace_back();
  for (std::uint32_t i = 1; i < first_started; ++i) started_.front().push_back(TaskId{i});
  for (std::uint32_t i = 0; i < records.starters.size(); ++i) {
    const std::uint32_t starter = records.starters[i].value;
    if (starter >= first_started + i) continue;  // nobody is started by who is not there
    if (starter >= started_.size()) started_.resize(std::size_t{starter} + 1);
    started_[starter].push_back(TaskId{first_started + i});
  }
  next_.resize(started_.size());
}

void RecordedTasks::on_task(TaskId task, std::span<const TaskId> predecessors) {
  if (task.value >= recorded_.size()) recorded_.resize(std::size_t{task.value} + 1, task);
  const bool is_root = task == TaskId{};
  if (is_root || !has_starters_) {
    recorded_[task.value] = task;
    return;
  }
  const std::uint32_t starter = predecessors.empty() ? 0 : of(predecessors.front()).value;
  const bool is_known = starter < started_.size() && next_[starter] < started_[starter].size();
  recorded_[task.value] =
      is_known ? started_[starter][next_[starter]++] : TaskId{unknown | task.value};
}

TaskId RecordedTasks::here(TaskId recorded) const {
  const auto found = std::ranges::find(recorded_, recorded);
  if (found == recorded_.end()) return recorded;
  return TaskId{static_cast<std::uint32_t>(found - recorded_.begin())};
}

}  // namespace orrery::detail
