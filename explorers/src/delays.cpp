#include "delays.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "strategy.hpp"

namespace orrery::detail {
namespace {

using TaskAndKind = std::pair<TaskId, OperationKind>;

/// Delays are those of delay-bounded scheduling (Emmi, Qadeer and Rakamaric, POPL 2011), but a task
/// is held back until the others cannot go on, and not for one turn: so one delay is one
/// preemption, whatever the others have to do meanwhile.
class DelayingChooser final : public Chooser {
 public:
  explicit DelayingChooser(const Delays& delays) : delays_(delays) {}

  [[nodiscard]] bool constrains() const override { return true; }
  [[nodiscard]] bool lets_sleepers_wake() const override { return false; }
  bool admits(const Alternative& one) override {
    if (is_machine_step(one)) return true;
    const TaskId task = one.id.task;
    const bool is_new = one.kind != OperationKind::timeout &&
                        std::exchange(announced_[task], one.id.number) != one.id.number;
    if (is_new) {
      const std::uint32_t occurrence = ++counts_[{task, one.kind}];
      const Delay here{task, one.kind, occurrence};
      if (std::ranges::find(delays_, here) != delays_.end()) held_.push_back(task);
    }
    return std::ranges::find(held_, task) == held_.end();
  }
  bool gives_way(const PendingOperations&) override {
    if (held_.empty()) return false;
    held_.erase(held_.begin());
    return true;
  }
  Decision choose(const ChoicePoint& point) override {
    return Decision::take(point.default_index());
  }

 private:
  Delays delays_;
  std::vector<TaskId> held_;  ///< who was first is the first to go on
  std::map<TaskId, std::uint32_t> announced_;
  std::map<TaskAndKind, std::uint32_t> counts_;
};

struct RunOperation {
  Delay before;
  bool came_late = false;  ///< its task had lost its turn
};

std::vector<RunOperation> operations_of(const Schedule& schedule) {
  std::map<TaskAndKind, std::uint32_t> counts;
  std::map<TaskId, std::uint32_t> done;
  std::optional<TaskId> last;
  std::vector<RunOperation> operations;
  for (const ScheduleEntry& entry : schedule.entries) {
    const bool is_of_task =
        entry.type == ScheduleEntry::Type::step && !is_machine_step(entry.operation);
    if (!is_of_task) continue;
    const TaskId task = entry.id.task;
    const bool was_there = done.contains(task);
    const bool is_new = std::exchange(done[task], entry.id.number) != entry.id.number;
    if (is_new) {
      const Delay before{task, entry.operation, ++counts[{task, entry.operation}]};
      operations.push_back({before, was_there && last != task});
    }
    last = task;
  }
  return operations;
}

}  // namespace

std::unique_ptr<Chooser> make_delaying_chooser(const Delays& delays) {
  return std::make_unique<DelayingChooser>(delays);
}

DelaySearch::DelaySearch(const Schedule& schedule, const Schedule& undisturbed) {
  const std::vector<RunOperation> there = operations_of(schedule);
  std::map<TaskAndKind, std::uint32_t> counts;
  for (const auto& [before, _] : there) counts[{before.task, before.before}] = before.occurrence;
  constexpr std::uint32_t more = 4;  // than in this run
  std::set<TaskAndKind> known;
  std::vector<OperationKind> kinds;
  for (auto one = there.rbegin(); one != there.rend(); ++one) {
    const TaskAndKind what{one->before.task, one->before.before};
    if (!one->came_late || !known.insert(what).second) continue;
    for (std::uint32_t occurrence = counts[what] + more; occurrence > 0; --occurrence) {
      drawn_from_.push_back({what.first, what.second, occurrence});
    }
    if (std::ranges::find(kinds, what.second) == kinds.end()) kinds.push_back(what.second);
  }
  const std::vector<RunOperation> here = operations_of(undisturbed);
  for (const OperationKind kind : kinds) {
    for (auto one = here.rbegin(); one != here.rend(); ++one) {
      if (one->before.before == kind) singles_.push_back(one->before);
    }
  }
}

std::optional<Delays> DelaySearch::next_single() {
  if (next_ == singles_.size()) return std::nullopt;
  return Delays{singles_[next_++]};
}

std::optional<Delays> DelaySearch::draw(std::size_t count, const KeyedDraw& draw,
                                        std::uint64_t key) const {
  if (drawn_from_.size() < count) return std::nullopt;
  Delays drawn;
  for (std::uint64_t i = 0; drawn.size() < count; ++i) {
    const Delay& one =
        drawn_from_[static_cast<std::size_t>(scale_to(draw.bits(key, i), drawn_from_.size()))];
    if (std::ranges::find(drawn, one) == drawn.end()) drawn.push_back(one);
  }
  return drawn;
}

}  // namespace orrery::detail
