#include "run_plan.hpp"

#include <utility>

namespace orrery::detail {

PlanChooser::PlanChooser(std::vector<PlannedStep> steps, PlannedAnswers answers)
    : answers_(std::move(answers)) {
  position_.reserve(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) position_.try_emplace(steps[i], i);
}

std::size_t PlanChooser::position(const PlannedStep& step) const {
  const auto found = position_.find(step);
  return found == position_.end() ? nowhere : found->second;
}

Decision PlanChooser::choose_step(const ChoicePoint& point) const {
  std::size_t first = nowhere;
  std::size_t taken = nowhere;
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const std::size_t rank = position({point.alternatives[i].id, point.alternatives[i].kind});
    if (rank >= first) continue;
    first = rank;
    taken = i;
  }
  return Decision::take(taken == nowhere ? point.default_index() : taken);
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
