#include "deviations.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "strategy.hpp"

namespace orrery::detail {
namespace {

/// Was a message taken or delivered before an older one that was there too?
bool overtakes(const ChoicePoint& point, const Alternative& taken, const Alternative& usual) {
  if (point.kind == ChoiceKind::message) return true;
  return point.kind == ChoiceKind::step && is_machine_step(taken) && is_machine_step(usual);
}

/// The alternative that a deviation names: that very operation, or else the one that the same task
/// is at, which has another number where the run before it was another.
std::size_t find(const ChoicePoint& point, const Deviation& wanted) {
  std::size_t similar = point.alternatives.size();
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const Alternative& one = point.alternatives[i];
    if (one.id.task != wanted.answer.task || one.kind != wanted.operation) continue;
    if (one.id == wanted.answer) return i;
    if (similar == point.alternatives.size()) similar = i;
  }
  return similar;
}

}  // namespace

void DeviatingChooser::set(const Deviations& deviations) {
  deviations_ = deviations;
  by_question_.clear();
  for (std::size_t i = 0; i < deviations_.size(); ++i) {
    by_question_.emplace(deviations_[i].question, i);
  }
}

Decision DeviatingChooser::choose(const ChoicePoint& point) {
  const auto entry = by_question_.find(point.question);
  if (entry != by_question_.end() && deviations_[entry->second].kind == point.kind) {
    const std::size_t index = find(point, deviations_[entry->second]);
    if (index < point.alternatives.size()) return Decision::take(index);
  }
  return Decision::take(point.default_index());
}

std::uint64_t DeviatingChooser::choose_value(const ValueQuestion& question) {
  const auto entry = by_question_.find(question.question);
  if (entry == by_question_.end() || deviations_[entry->second].kind != question.kind) {
    return question.low;
  }
  return std::clamp(deviations_[entry->second].value, question.low, question.high);
}

Deviations DeviationBlock::deviations() const {
  const std::size_t kept = std::min<std::size_t>(count, std::size(items));
  return {items, items + kept};
}

void DeviationTally::begin_run(const RunInfo& /*info*/) {
  block_.cost = {};
  block_.count = 0;
}

void DeviationTally::add(const Deviation& deviation) {
  if (block_.count < std::size(block_.items)) block_.items[block_.count] = deviation;
  block_.cost.deviations = ++block_.count;
}

void DeviationTally::on_choice(const ChoicePoint& point, std::size_t index) {
  // Kept up to date all the time, for runs that die.
  block_.cost.steps = point.step;
  const std::size_t usual = point.default_index();
  if (index == usual) return;
  const Alternative& taken = point.alternatives[index];
  if (is_preemption(point, taken)) ++block_.cost.preemptions;
  if (overtakes(point, taken, point.alternatives[usual])) ++block_.cost.reordered;
  add({point.question, point.kind, taken.kind, taken.id, 0, 0});
}

void DeviationTally::on_value(const ValueQuestion& question, std::uint64_t answer) {
  if (answer == question.low || is_input(question.kind)) return;
  add({question.question, question.kind, OperationKind::random, {}, answer, question.low});
}

void DeviationTally::end_run(const Outcome& outcome) {
  block_.cost.steps = outcome.steps;
}

}  // namespace orrery::detail
