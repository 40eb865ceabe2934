// What must hold of every bent run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <orrery/replay_core/bent_runs.hpp>
#include <orrery/replay_core/event_stream.hpp>

namespace orrery::test {

/// Who got which message, and who started the tasks 1, 2, ...
class GotWatcher final : public Observer {
 public:
  void begin_run(const RunInfo&) override {
    got.clear();
    starters.clear();
  }
  [[nodiscard]] EventMask interest() const override {
    return EventMask::matching() | EventMask::tasks();
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    if (task.value == 0) return;
    starters.push_back(predecessors.empty() ? TaskId{0} : predecessors.front());
  }
  void on_matching(const MatchingStep& step) override {
    using Kind = MatchingStep::Kind;
    if (step.kind == Kind::taken || step.kind == Kind::seen) got[step.receiver] = step.send;
  }
  std::map<OperationId, OperationId> got;  // by receive: the send
  std::vector<TaskId> starters;
};

/// Tasks are numbered in the order in which they come to be, which bending changes: this is the
/// recorded run's number of one, found by who started it, as which of all those.
class RecordedNumbers {
 public:
  RecordedNumbers(const std::vector<TaskId>& recorded, const std::vector<TaskId>& bent) {
    std::map<TaskId, std::vector<TaskId>> started;
    for (std::uint32_t i = 0; i < recorded.size(); ++i) started[recorded[i]].push_back({i + 1});
    std::map<TaskId, std::size_t> next;
    for (const TaskId one : bent) {
      const TaskId starter = of(one);
      const std::size_t place = next[starter]++;
      const bool is_known = starter != nobody && place < started[starter].size();
      numbers_.push_back(is_known ? started[starter][place] : nobody);
    }
  }
  [[nodiscard]] TaskId of(TaskId bent) const { return numbers_.at(bent.value); }
  [[nodiscard]] OperationId of(OperationId bent) const { return {of(bent.task), bent.number}; }

 private:
  static constexpr TaskId nobody{0xffffffffU};
  std::vector<TaskId> numbers_{TaskId{0}};  // by number in the bent run
};

/// The first event before anything is bent that is none of the recorded run's, in words; empty:
/// there is none.
inline std::string first_strange(std::span<const EventStream::Entry> recorded, const BendPlan& plan,
                                 std::span<const EventStream::Entry> bent,
                                 const GotWatcher& watcher) {
  const RecordedNumbers numbers(plan.starters, watcher.starters);
  std::multimap<OperationId, Event> known;
  for (const EventStream::Entry& entry : recorded) known.emplace(entry.event.id, entry.event);
  for (const auto& [told, where] : bent) {
    if (told.step > plan.steps_followed) break;
    Event event = told;
    event.id = numbers.of(told.id);
    event.matched = numbers.of(told.matched);
    const auto [first, last] = known.equal_range(event.id);
    bool is_known = false;
    for (auto one = first; one != last; ++one) {
      // Which says the number of the task.
      const bool is_start = event.kind == OperationKind::spawn && one->second.kind == event.kind;
      is_known = is_known || is_start || is_same_event(one->second, event);
    }
    if (!is_known) {
      const auto text_of = [](const Event& one) {
        return fmt::format("{}.{} {} (of {}.{})", one.id.task.value, one.id.number, name(one.kind),
                           one.matched.task.value, one.matched.number);
      };
      const std::string was = first == last ? "nothing" : text_of(first->second);
      return fmt::format("{} in step {}, was {}", text_of(event), event.step, was);
    }
  }
  return {};
}

/// The first bend of the plan that has not come about; empty: there is none.
inline std::string first_unmet(const BendPlan& plan, const GotWatcher& bent) {
  const RecordedNumbers numbers(plan.starters, bent.starters);
  for (const Bend& one : plan.bends) {
    const bool is_met = std::ranges::any_of(bent.got, [&](const auto& got) {
      return numbers.of(got.first) == one.first && numbers.of(got.second) == one.second;
    });
    if (one.kind == Bend::Kind::takes && !is_met) return text(one);
  }
  return {};
}

}  // namespace orrery::test
