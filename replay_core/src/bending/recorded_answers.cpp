#include "recorded_answers.hpp"

#include <algorithm>

namespace orrery::detail {

RecordedAnswers::RecordedAnswers(const Schedule& schedule, const BendPlan& plan) {
  for (const ScheduleEntry& entry : schedule.entries) {
    if (entry.type != ScheduleEntry::Type::step) answers_.push_back(entry);
  }
  std::stable_sort(answers_.begin(), answers_.end(),
                   [](const ScheduleEntry& a, const ScheduleEntry& b) { return a.id < b.id; });
  is_used_.resize(answers_.size());
  for (const RunAnswer& answer : plan.run_answers) run_answers_[answer.question] = answer.value;
}

/// The first that was not given so far.
template <typename Fits>
ScheduleEntry* RecordedAnswers::find(OperationId asker, Fits fits) {
  auto entry = std::lower_bound(
      answers_.begin(), answers_.end(), asker,
      [](const ScheduleEntry& one, OperationId wanted) { return one.id < wanted; });
  for (; entry != answers_.end() && entry->id == asker; ++entry) {
    const auto place = static_cast<std::size_t>(entry - answers_.begin());
    if (is_used_[place] || !fits(*entry)) continue;
    if (!entry->is_clock() || entry->repeats-- == 0) is_used_[place] = true;
    return &*entry;
  }
  return nullptr;
}

std::optional<OperationId> RecordedAnswers::chosen(OperationId asker, ChoiceKind kind) {
  const ScheduleEntry* const entry = find(asker, [&](const ScheduleEntry& one) {
    return one.type == ScheduleEntry::Type::choice && one.choice == kind;
  });
  if (entry == nullptr) return std::nullopt;
  return entry->chosen();
}

std::uint64_t RecordedAnswers::value(const ValueQuestion& question) {
  if (question.is_of_run) {
    const auto found = run_answers_.find(question.question);
    const bool fits = found != run_answers_.end() && admits_answer(question, found->second);
    return fits ? found->second : question.low;
  }
  const ScheduleEntry* const entry = find(question.asker, [&](const ScheduleEntry& one) {
    const bool is_jitter = one.type == ScheduleEntry::Type::value &&
                           one.choice == ChoiceKind::jitter && one.choice == question.kind;
    return is_jitter || one.answers(question);
  });
  if (entry == nullptr) return question.low;
  if (is_input(question.kind)) return entry->value();
  // Another network may have other delays.
  return std::clamp(entry->value(), question.low, question.high);
}

std::uint64_t RecordedAnswers::date(const ValueQuestion& question, bool is_followed) {
  const std::uint64_t kind = question.question;
  Clock& clock =
      clocks_.try_emplace({question.asker.task, kind}, Clock{ahead_[kind], 0}).first->second;
  const ScheduleEntry* const entry =
      is_followed ? find(question.asker, [](const ScheduleEntry& one) { return one.is_clock(); })
                  : nullptr;
  if (entry != nullptr) {
    clock.ahead = ahead_[kind] = entry->value() - question.low;
    return clock.said = entry->value();
  }
  clock.said = std::max(clock.said, question.low + clock.ahead);
  return clock.said;
}

}  // namespace orrery::detail
