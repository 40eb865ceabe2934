#include "run_plan.hpp"

#include <limits>
#include <utility>

namespace orrery::detail {

PlanChooser::PlanChooser(std::vector<PlannedStep> steps, PlannedAnswers answers)
    : answers_(std::move(answers)) {
  position_.reserve(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) position_.try_emplace(steps[i], i);
}

Decision PlanChooser::choose_step(const ChoicePoint& point) const {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t first = none;
  std::size_t taken = none;
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const auto found = position_.find({point.alternatives[i].id, point.alternatives[i].kind});
    if (found == position_.end() || found->second >= first) continue;
    first = found->second;
    taken = i;
  }
  return Decision::take(taken == none ? point.default_index() : taken);
}

Decision PlanChooser::choose_planned(const ChoicePoint& point,
                                     const std::unordered_map<std::uint64_t, std::uint64_t>& plan,
                                     std::uint64_t key) {
  const auto found = plan.find(key);
  if (found != plan.end()) {
    for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
      if (point.alternatives[i].id.packed() == found->second) return Decision::take(i);
    }
  }
  return Decision::take(point.default_index());
}

Decision PlanChooser::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::step) return choose_step(point);
  if (point.kind == ChoiceKind::message) {
    return choose_planned(point, answers_.messages, point.asker.packed());
  }
  return choose_planned(point, answers_.choices, point.question);
}

std::uint64_t PlanChooser::choose_value(const ValueQuestion& question) {
  if (question.kind == ChoiceKind::clock) return question.low;
  const auto found = answers_.draws.find(question.question);
  if (found == answers_.draws.end() || !admits_answer(question, found->second)) return question.low;
  return found->second;
}

}  // namespace orrery::detail
