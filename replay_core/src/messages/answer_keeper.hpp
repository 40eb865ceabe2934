// The answers that a log has to have for questions which are about no order: what `AnswersReplay`
// gives out again.
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Keeps them.  Its owner, an observer of the run, hands on what it is told (interest `choices`).
class AnswerKeeper {
 public:
  void clear() { *this = {}; }
  /// Draws where they are not the undisturbed answer, and each date that was read off a clock and
  /// number of a sequence that threads share.
  void on_value(const ValueQuestion& question, std::uint64_t answer);
  /// Which alternative was chosen, where it is not the undisturbed one.  Not for steps.
  void on_choice(const ChoicePoint& point, std::size_t index);
  /// Forgets what the operation that asked last was answered.
  void drop(OperationId asker);

  [[nodiscard]] const std::vector<Answer>& of(TaskId task) const;
  [[nodiscard]] const std::vector<RunAnswer>& of_run() const { return run_answers_; }
  void add_to(MessageRecords& records) const;

 private:
  std::vector<Answer>& of_asking(TaskId task);

  std::vector<std::vector<Answer>> answers_;  // by asking task
  std::vector<RunAnswer> run_answers_;
};

}  // namespace orrery::detail
