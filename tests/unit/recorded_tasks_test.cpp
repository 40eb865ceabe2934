#include "messages/recorded_tasks.hpp"

#include <vector>

#include <catch2/catch.hpp>

namespace {

using orrery::MessageRecords;
using orrery::TaskId;
using orrery::detail::RecordedTasks;
using orrery::detail::TaskStarters;

void start(auto& tasks, std::uint32_t task, std::uint32_t starter) {
  const std::vector<TaskId> by{TaskId{starter}};
  tasks.on_task(TaskId{task}, by);
}

}  // namespace

TEST_CASE("tasks are known again by who started them, in whatever order they come to be") {
  TaskStarters starters;
  starters.on_task(TaskId{0}, {});
  start(starters, 1, 0);
  start(starters, 2, 0);
  start(starters, 3, 1);
  start(starters, 4, 0);
  start(starters, 5, 2);
  MessageRecords records;
  starters.add_to(records);
  CHECK(records.first_started == 3);

  RecordedTasks tasks;
  tasks.begin(records);
  tasks.on_task(TaskId{0}, {});
  start(tasks, 1, 0);
  start(tasks, 2, 1);  // before the root's second
  start(tasks, 3, 0);
  start(tasks, 4, 3);
  start(tasks, 5, 0);
  start(tasks, 6, 1);  // one more than in the log
  CHECK(tasks.of(TaskId{1}) == TaskId{1});
  CHECK(tasks.of(TaskId{2}) == TaskId{3});
  CHECK(tasks.of(TaskId{3}) == TaskId{2});
  CHECK(tasks.of(TaskId{4}) == TaskId{5});
  CHECK(tasks.of(TaskId{5}) == TaskId{4});
  CHECK_FALSE(RecordedTasks::is_known(tasks.of(TaskId{6})));
  CHECK(tasks.here(TaskId{2}) == TaskId{3});
}

TEST_CASE("without starters tasks have the numbers that they had") {
  RecordedTasks tasks;
  const MessageRecords records;
  tasks.begin(records);
  tasks.on_task(TaskId{0}, {});
  start(tasks, 1, 0);
  start(tasks, 2, 1);
  CHECK(tasks.of(TaskId{1}) == TaskId{1});
  CHECK(tasks.of(TaskId{2}) == TaskId{2});
}
