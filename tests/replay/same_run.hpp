// "The same run", as the design has it, for runs whose steps came in different orders: each task
// does the same, and the same messages are delivered.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <orrery/replay_core/event_stream.hpp>

namespace orrery::test {

/// Names tasks by who started them, as its how many-th: their numbers follow the order of steps.
class TaskPaths final : public Observer {
 public:
  using Path = std::vector<std::uint32_t>;

  void begin_run(const RunInfo&) override { paths_.clear(), children_.clear(); }
  [[nodiscard]] EventMask interest() const override { return EventMask::tasks(); }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    Path path = predecessors.empty() ? Path{} : paths_[predecessors.front()];
    path.push_back(children_[path]++);
    paths_[task] = path;
  }
  [[nodiscard]] const Path& of(TaskId task) const {
    static const Path none;
    const auto found = paths_.find(task);
    return found == paths_.end() ? none : found->second;
  }

 private:
  std::map<TaskId, Path> paths_;
  std::map<Path, std::uint32_t> children_;
};

/// A run, and how its tasks are to be told.
struct NamedRun {
  std::vector<EventStream::Entry> events;
  TaskPaths paths;
};

/// The first difference between two runs, in words; empty: they are the same.
inline std::string difference(const NamedRun& recorded, const NamedRun& replayed) {
  using Path = TaskPaths::Path;
  const auto by_task = [](const NamedRun& run) {
    std::map<Path, std::vector<Event>> tasks;
    for (const EventStream::Entry& entry : run.events) {
      if (is_machine_step(entry.event.kind)) continue;
      tasks[run.paths.of(entry.event.id.task)].push_back(entry.event);
    }
    return tasks;
  };
  const auto deliveries = [](const NamedRun& run) {
    std::vector<std::pair<Path, std::uint32_t>> sends;
    for (const EventStream::Entry& entry : run.events) {
      if (entry.event.kind != OperationKind::deliver) continue;
      sends.emplace_back(run.paths.of(entry.event.id.task), entry.event.id.number);
    }
    std::ranges::sort(sends);
    return sends;
  };
  const auto names_a_task = [](OperationKind kind) {
    return kind == OperationKind::spawn || kind == OperationKind::join;
  };
  const auto is_same = [&](const Event& a, const Event& b) {
    return a.id.number == b.id.number && a.kind == b.kind && a.object.number == b.object.number &&
           recorded.paths.of(a.object.creator) == replayed.paths.of(b.object.creator) &&
           a.matched.number == b.matched.number &&
           recorded.paths.of(a.matched.task) == replayed.paths.of(b.matched.task) &&
           (a.payload_hash == b.payload_hash || names_a_task(a.kind)) && a.timed_out == b.timed_out;
  };
  const auto first = by_task(recorded);
  const auto second = by_task(replayed);
  for (const auto& [path, events] : first) {
    const std::string task = fmt::format("task {}", fmt::join(path, "."));
    if (!second.contains(path)) return task + " is missing";
    const std::vector<Event>& others = second.at(path);
    for (std::size_t i = 0; i < std::max(events.size(), others.size()); ++i) {
      if (i < events.size() && i < others.size() && is_same(events[i], others[i])) continue;
      const auto text = [i](const std::vector<Event>& list) {
        if (i >= list.size()) return std::string("nothing");
        return fmt::format("{} {} from {}.{}", list[i].id.number, name(list[i].kind),
                           list[i].matched.task.value, list[i].matched.number);
      };
      return fmt::format("{}, event {}: {} became {}", task, i, text(events), text(others));
    }
  }
  if (first.size() != second.size()) return "another number of tasks";
  return deliveries(recorded) == deliveries(replayed) ? "" : "other messages were delivered";
}

}  // namespace orrery::test
