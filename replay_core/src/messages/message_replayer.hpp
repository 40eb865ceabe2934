// What the replayers that follow messages share: open calls go as they went, and the rest comes as
// it may.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "answers_replay.hpp"
#include "rank_tasks.hpp"
#include "recorded_tasks.hpp"

namespace orrery::detail {

/// A chooser that answers open calls from a log, and an observer, for it has to know which task
/// works for which rank.  Which messages a receive may take is for those who derive from it.
///
/// Whoever derives from it gets all tasks and operations by their numbers in the log.
///
/// The order of steps is the fallback's: only remote calls come in between the operations of a rank
/// where they came before.
class MessageReplayer : public Replayer, protected Chooser, protected Observer {
 public:
  MessageReplayer(const SavedRun& run, Chooser& fallback, ReplayMode mode);

  [[nodiscard]] Chooser& chooser() final { return *this; }
  [[nodiscard]] Observer* observer() final { return this; }
  [[nodiscard]] const std::optional<Parting>& parted() const final { return parted_; }
  [[nodiscard]] std::uint64_t steps_beyond() const final { return beyond_; }
  [[nodiscard]] Outcome judge(Outcome outcome) const final;

 protected:
  /// A receive or a probe of the task begins; polls that fail do not come here.
  virtual void begin_receive(OperationId id, const Operation& operation) = 0;
  /// May the receive or probe take this message?
  [[nodiscard]] virtual bool admits_match(OperationId send, OperationId receiver) = 0;
  /// What the records of the task still name, for people; empty: nothing.
  [[nodiscard]] virtual std::string what_is_left(TaskId task) const = 0;
  virtual void begin_replay() = 0;
  /// What becomes of messages.
  virtual void on_message(const MatchingStep&) {}

  [[nodiscard]] const MessageRecords& records() const { return records_; }
  [[nodiscard]] std::int32_t rank_of(TaskId recorded) const { return ranks_.rank_of(recorded); }
  /// The log says nothing more of the task.  True: the log was cut, or the run by a rank that died,
  /// or it need not fit, so that all may go on as it comes; otherwise the program parts from its
  /// log here.
  bool goes_beyond(TaskId task, std::string_view what);

 private:
  [[nodiscard]] bool was_ended_by_a_rank() const;

  /// Where a task stands in its records.
  struct Cursor {
    const OpenCalls* calls = nullptr;
    std::size_t poll = 0;
    std::uint64_t failed_polls = 0;  // before the next one that succeeds
    std::size_t selection = 0;
    std::size_t cancellation = 0;
    std::size_t remote_call = 0;
    std::size_t remote_calls_end = 0;
    std::uint32_t operations = 0;  // the last one begun
    OperationId timed;             // an operation with a deadline that is pending
    bool times_out = false;        // that operation
  };

  // Chooser
  void begin_run(const RunInfo& info) final;
  [[nodiscard]] bool constrains() const final { return true; }
  bool admits(const Alternative& alternative) final;
  void took(const Alternative& alternative) final;
  const OpenOutcome* expects(OperationId id, const Operation& operation) final;
  Decision choose(const ChoicePoint& point) final { return fallback_.choose(point); }
  std::uint64_t choose_value(const ValueQuestion& question) final;
  bool gives_way(const PendingOperations& pending) final;
  [[nodiscard]] std::string explain_divergence(const PendingOperations& pending) final;
  void end_run(const Outcome& outcome) final;
  // Observer
  [[nodiscard]] EventMask interest() const final {
    return EventMask::matching() | EventMask::tasks();
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) final {
    tasks_.on_task(task, predecessors);
  }
  void on_matching(const MatchingStep& step) final;

  Cursor& cursor(TaskId task);
  bool admits_step(OperationId id, OperationKind kind);
  bool admits_remote_call(OperationId call);
  std::optional<bool> next_poll(TaskId task);
  const OpenOutcome* expect(OperationId id, const Operation& operation);
  const OpenOutcome* expect_poll(OperationId id, const Operation& operation);
  const OpenOutcome* expect_selection(OperationId id, const Operation& operation);
  void part(TaskId task, std::string_view expected, std::string_view came);
  [[nodiscard]] std::string left_of(TaskId task) const;

  const MessageRecords& records_;
  const std::vector<Finding>& findings_;  // of the recorded run
  bool is_whole_;
  Chooser& fallback_;
  ReplayMode mode_;
  const Names* names_ = nullptr;
  RecordedTasks tasks_;
  std::unordered_map<std::uint32_t, Cursor> cursors_;  // by recorded task
  RankTasks ranks_;                                    // of recorded tasks
  AnswersReplay answers_;
  OpenOutcome outcome_;
  std::uint64_t beyond_ = 0;
  bool gave_way_ = false;
  std::optional<Parting> parted_;
};

}  // namespace orrery::detail
