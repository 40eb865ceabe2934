#include "answers_replay.hpp"

#include <algorithm>

namespace orrery::detail {

void AnswersReplay::begin(const MessageRecords& records) {
  records_ = &records;
  readings_.begin(records.readings);
  cursors_.clear();
  for (std::size_t i = 0; i < records.answers.size(); ++i) {
    const auto [own, is_new] = cursors_.try_emplace(records.answers[i].asker.task.value);
    if (is_new) own->second.next = i;
    own->second.end = i + 1;
  }
}

template <typename IsIt>
std::optional<std::uint64_t> AnswersReplay::find(OperationId asker, const IsIt& is_it) {
  const auto found = cursors_.find(asker.task.value);
  if (found == cursors_.end()) return std::nullopt;
  Cursor& own = found->second;
  while (own.next < own.end && records_->answers[own.next].asker.number < asker.number) ++own.next;
  for (std::size_t i = own.next; i < own.end; ++i) {
    const Answer& answer = records_->answers[i];
    if (answer.asker != asker) break;
    if (!is_it(answer)) continue;
    own.next = i + 1;
    return answer.value;
  }
  return std::nullopt;
}

std::uint64_t AnswersReplay::answer(OperationId asker, const ValueQuestion& question) {
  if (question.is_of_run) {
    const auto found =
        std::ranges::find(records_->run_answers, question.question, &RunAnswer::question);
    return found == records_->run_answers.end() ? question.low : found->value;
  }
  if (const auto reading = readings_.answer(asker.task, question)) return *reading;
  return find(asker,
              [&](const Answer& one) {
                return one.kind == question.kind && admits_answer(question, one.value);
              })
      .value_or(question.low);
}

std::optional<std::uint64_t> AnswersReplay::chosen(OperationId asker, ChoiceKind kind) {
  return find(asker, [kind](const Answer& one) { return one.kind == kind; });
}

}  // namespace orrery::detail
