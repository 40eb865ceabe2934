#include "answer_keeper.hpp"

#include <orrery/sim_runtime/told_questions.hpp>

namespace orrery::detail {

std::vector<Answer>& AnswerKeeper::of_asking(TaskId task) {
  if (task.value >= answers_.size()) answers_.resize(std::size_t{task.value} + 1);
  return answers_[task.value];
}

const std::vector<Answer>& AnswerKeeper::of(TaskId task) const {
  static const std::vector<Answer> none;
  return task.value < answers_.size() ? answers_[task.value] : none;
}

void AnswerKeeper::on_value(const ValueQuestion& question, std::uint64_t answer) {
  const bool is_reading =
      question.kind == ChoiceKind::clock ||
      (question.kind == ChoiceKind::input && is_told_question(question.question));
  const bool is_choice =
      question.kind == ChoiceKind::value || question.kind == ChoiceKind::spurious;
  if (!is_reading && (!is_choice || answer == question.low)) return;
  if (question.is_of_run) {
    run_answers_.push_back({question.question, answer});
  } else {
    of_asking(question.asker.task).push_back({question.asker, question.kind, answer});
  }
}

void AnswerKeeper::on_choice(const ChoicePoint& point, std::size_t index) {
  if (index == point.default_index()) return;
  of_asking(point.asker.task)
      .push_back({point.asker, point.kind, point.alternatives[index].id.packed()});
}

void AnswerKeeper::drop(OperationId asker) {
  if (asker.task.value >= answers_.size()) return;
  std::vector<Answer>& answers = answers_[asker.task.value];
  while (!answers.empty() && answers.back().asker == asker) answers.pop_back();
}

void AnswerKeeper::add_to(MessageRecords& records) const {
  for (const std::vector<Answer>& answers : answers_) {
    records.answers.insert(records.answers.end(), answers.begin(), answers.end());
  }
  records.run_answers = run_answers_;
}

}  // namespace orrery::detail
