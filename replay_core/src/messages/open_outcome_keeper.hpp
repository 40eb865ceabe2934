// The part that all methods that follow messages have in common: what open calls came to, apart
// from who sent what.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/observer.hpp>

#include "answer_keeper.hpp"
#include "rank_tasks.hpp"

namespace orrery::detail {

/// Keeps polls, selections, cancellations, draws, and the order of remote calls.  Its owner, the
/// observer of the run, hands everything on.
class OpenOutcomeKeeper {
 public:
  [[nodiscard]] static EventMask interest();

  void clear(const Names* names);
  void on_outcome(OperationId id, OperationKind kind, const OpenOutcome& outcome);
  void on_value(const ValueQuestion& question, std::uint64_t answer) {
    answers_.on_value(question, answer);
  }
  void on_matching(const MatchingStep& step) { tasks_.on_matching(step); }
  void on_event(const Event& event);
  void on_step(const Alternative& taken);

  [[nodiscard]] const RankTasks& tasks() const { return tasks_; }
  /// Of a task; made empty where there is none yet.
  OpenCalls& calls_of(TaskId task);
  [[nodiscard]] const std::vector<Answer>& answers_of(TaskId task) const {
    return answers_.of(task);
  }
  [[nodiscard]] const std::vector<RunAnswer>& run_answers() const { return answers_.of_run(); }
  /// Number of the last operation of the task whose turn has come; 0: none has.
  [[nodiscard]] std::uint32_t operations_of(TaskId task) const {
    return task.value < operations_.size() ? operations_[task.value] : 0;
  }
  /// What was kept so far, without tasks of which there is nothing to keep.
  [[nodiscard]] MessageRecords records() const;
  /// Two tasks have met where these methods do not look (a mutex, an atomic, a file): what it was,
  /// and who.  Empty: they have not.
  [[nodiscard]] const std::string& blind_spot() const { return blind_spot_; }

 private:
  void note_shared_object(const Event& event);

  const Names* names_ = nullptr;
  std::vector<OpenCalls> calls_;  // by task
  AnswerKeeper answers_;
  std::vector<RemoteCall> remote_calls_;
  RankTasks tasks_;
  std::vector<std::uint32_t> operations_;            // by task: the last one begun
  std::unordered_map<std::uint64_t, TaskId> users_;  // by shared object
  std::string blind_spot_;
};

}  // namespace orrery::detail
