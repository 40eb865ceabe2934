// What must hold of every bent run.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <orrery/replay_core/bent_runs.hpp>
#include <orrery/replay_core/event_stream.hpp>

namespace orrery::test {

/// Who got which message.
class GotWatcher final : public Observer {
 public:
  void begin_run(const RunInfo&) override { got.clear(); }
  [[nodiscard]] EventMask interest() const override { return EventMask::matching(); }
  void on_matching(const MatchingStep& step) override {
    using Kind = MatchingStep::Kind;
    if (step.kind == Kind::taken || step.kind == Kind::seen) got[step.receiver] = step.send;
  }
  std::map<OperationId, OperationId> got;  // by receive: the send
};

/// The first event before anything is bent that is none of the recorded run's, in words; empty:
/// there is none.
inline std::string first_strange(std::span<const EventStream::Entry> recorded, const BendPlan& plan,
                                 std::span<const EventStream::Entry> bent) {
  std::multimap<OperationId, Event> known;
  for (const EventStream::Entry& entry : recorded) known.emplace(entry.event.id, entry.event);
  for (const auto& [event, where] : bent) {
    if (event.step > plan.steps_followed) break;
    const auto [first, last] = known.equal_range(event.id);
    bool is_known = false;
    for (auto one = first; one != last; ++one) {
      // Tasks are numbered in the order in which all of them start.
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
  for (const Bend& one : plan.bends) {
    const auto got = bent.got.find(one.first);
    const bool is_met = got != bent.got.end() && got->second == one.second;
    if (one.kind == Bend::Kind::takes && !is_met) return text(one);
  }
  return {};
}

}  // namespace orrery::test
