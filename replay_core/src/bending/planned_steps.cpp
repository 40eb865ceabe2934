#include "planned_steps.hpp"

#include <utility>

namespace orrery::detail {

StepKey StepKey::of(OperationId id, OperationKind kind) {
  switch (kind) {
    case OperationKind::timeout: return {id, What::timeout};
    case OperationKind::deliver: return {id, What::delivery};
    case OperationKind::transfer: return {id, What::transfer};
    case OperationKind::recover: return {id, What::recovery};
    default: return {id, What::task};
  }
}

PlannedSteps::PlannedSteps(const Schedule& schedule, const BendPlan& plan) {
  struct Step {
    OperationId id;
    OperationKind kind = OperationKind::none;
    bool is_planned = false;
  };
  std::vector<Step> recorded;
  for (const ScheduleEntry& entry : schedule.entries) {
    if (entry.type == ScheduleEntry::Type::step)
      recorded.push_back({entry.id, entry.operation, false});
  }
  const std::size_t count = recorded.size();
  for (const OperationId send : plan.added)
    recorded.push_back({send, OperationKind::deliver, false});
  const auto add = [this](Step& step) {
    step.is_planned = true;
    steps_.push_back(StepKey::of(step.id, step.kind));
    kinds_.push_back(step.kind);
  };
  for (const auto& [begin, end] : plan.order) {
    for (std::uint64_t step = begin; step < end; ++step) {
      const bool is_added = step >= plan.steps_recorded;
      add(recorded[static_cast<std::size_t>(is_added ? count + step - plan.steps_recorded : step)]);
    }
  }
  // The last step of a run that died was not seen, and is not in the plan.
  for (std::size_t i = 0; i < count; ++i) {
    if (!recorded[i].is_planned) add(recorded[i]);
  }
  is_done_.resize(steps_.size());
  next_same_.resize(steps_.size(), nowhere);
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const auto [found, is_new] = first_.try_emplace(steps_[i], i);
    if (!is_new) next_same_[i] = std::exchange(found->second, i);
  }
}

std::size_t PlannedSteps::place_of(const StepKey& step) const {
  const auto found = first_.find(step);
  return found == first_.end() ? nowhere : found->second;
}

void PlannedSteps::go_on() {
  while (next_ < steps_.size() && is_done_[next_]) ++next_;
}

std::size_t PlannedSteps::take(const StepKey& step) {
  const auto found = first_.find(step);
  if (found == first_.end() || found->second == nowhere) return nowhere;
  const std::size_t place = found->second;
  found->second = next_same_[place];
  is_done_[place] = true;
  ++taken_;
  go_on();
  return place;
}

void PlannedSteps::leave_out() {
  ++next_;
  go_on();
}

}  // namespace orrery::detail
