// What replays the orders of time stamps: of runs of the machine, and of real threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/replay_core/recorded_job.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "counted_operations.hpp"
#include "lamport_clocks.hpp"
#include "lamport_cursor.hpp"
#include "messages/answers_replay.hpp"
#include "messages/recorded_tasks.hpp"
#include "object_versions.hpp"
#include "partings.hpp"
#include "process_ends.hpp"
#include "sleepers.hpp"
#include "stamp_order.hpp"

namespace orrery::detail {

/// A chooser that stalls each operation until all with a smaller stamp are done (the rule as
/// printed); or, where the log has what it takes, until the operation that was the last one on its
/// object is done.  Tasks are those of the log, objects those of the replay.
class LamportReplayer final : public Replayer, private Chooser, private Observer {
 public:
  LamportReplayer(const SavedRun& run, Chooser& fallback, ReplayMode mode)
      : run_(run), fallback_(fallback), mode_(mode), counted_(run.stamps) {}

  [[nodiscard]] Chooser& chooser() override { return *this; }
  [[nodiscard]] Observer* observer() override { return this; }
  [[nodiscard]] const std::optional<Parting>& parted() const override { return parted_; }
  [[nodiscard]] std::uint64_t steps_beyond() const override { return beyond_; }
  [[nodiscard]] bool may_have_woken_by_itself() const override { return has_woken_; }
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override;
  [[nodiscard]] Outcome judge(Outcome outcome) const override {
    if (has_come_to_end_) return come_to_end(std::move(outcome), run_.findings.front());
    return judge_replay(std::move(outcome), parted_, mode_);
  }

 private:
  using Cursor = LamportCursor;
  /// Of a program of threads; the task before it makes the process.
  static constexpr TaskId first_thread{1};
  /// How long a run goes on by itself that somebody else has ended.
  static constexpr std::uint64_t beyond_idly_max = 1'000'000;

  // Chooser
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& alternative) override;
  void took(const Alternative& alternative) override;
  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override {
    if (question.kind == ChoiceKind::jitter) return fallback_.choose_value(question);
    return answers_.answer(tasks_.of(question.asker), question);
  }
  bool gives_way(const PendingOperations& pending) override;
  [[nodiscard]] std::string explain_divergence(const PendingOperations&) override {
    if (has_come_to_end_) return run_.findings.front().message;
    return mode_ == ReplayMode::best_effort || !parted_ ? std::string() : parted_->message;
  }
  void end_run(const Outcome& outcome) override;
  // Observer
  [[nodiscard]] EventMask interest() const override {
    // Stamps of real threads are taken as they are.
    if (!run_.stamps.is_of_library) return EventMask::tasks() | LamportClocks::events();
    return EventMask::tasks() | EventMask::of(OperationKind::once_end) |
           EventMask::of(OperationKind::task_end);
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_event(const Event& event) override;
  void on_allocated(TaskId /*task*/, Address address, std::uint64_t size_bytes) override {
    clocks_.forget(address, size_bytes);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    clocks_.forget(address, size_bytes);
  }

  [[nodiscard]] bool is_free() const {
    return gave_way_ || (parted_ && mode_ == ReplayMode::best_effort);
  }
  [[nodiscard]] bool is_counted(TaskId task, OperationKind kind, ObjectId object) {
    return counted_.counts(task, kind, object);
  }
  [[nodiscard]] bool has_more(TaskId task) const {
    return task.value < cursors_.size() && !cursors_[task.value].is_over();
  }
  [[nodiscard]] bool has_begun(TaskId task) const;
  [[nodiscard]] bool passes(const Alternative& step) const;
  [[nodiscard]] bool wakes(const Alternative& step) const;
  [[nodiscard]] bool waits_for_others(const Alternative& step) const;
  void note_beyond(const Alternative& step);
  void has_moved(TaskId task);
  [[nodiscard]] std::optional<std::size_t> first_to_wake(const ChoicePoint& point) const;
  bool lets_others_on();
  [[nodiscard]] bool was_ended_from_outside() const {
    return run_.is_real && !run_.findings.empty() &&
           run_.findings.front().class_name == ended_from_outside;
  }
  /// Has the first thread of a process done all that it did?  Then others may have been cut short.
  [[nodiscard]] bool ends_with_first() const {
    return run_.stamps.is_of_library && run_.stamps.tasks.front().task == first_thread &&
           cursors_[first_thread.value].is_over();
  }
  /// May the end of its process have come before the thread could do all that it did?  Not of one
  /// that has ended by itself, nor of one that such a thread was to start.
  [[nodiscard]] bool may_have_been_cut(TaskId task) const;
  [[nodiscard]] std::string end_of(TaskId task, const Outcome& outcome) const;
  [[nodiscard]] bool is_turn_of_all(const Cursor& own) const {
    return own.next_stamp <= order_.least();
  }
  /// What an operation waits for: nothing but what came before it in its own task; the one that
  /// was the last one at its object; all with a smaller stamp.
  enum class Rule : std::uint8_t { own, object, all };
  [[nodiscard]] Rule rule_for(const Alternative& step, const Cursor& own);
  [[nodiscard]] bool is_turn_at_object(const Alternative& step, const Cursor& own);
  /// Who has not come to its end: of stamps, whose is the smallest.
  [[nodiscard]] TaskId first_that_waits() const;
  void part_at_end(const PendingOperations& pending);
  void part_at_unknown(const PendingOperations& pending);
  void count(TaskId task, OperationKind kind, Cursor& own);
  [[nodiscard]] bool may_come(const Alternative& step, const Cursor& own);
  void count_next(TaskId task, Cursor& own);
  void part(TaskId task, std::string_view expected, std::string_view came);

  const SavedRun& run_;
  Chooser& fallback_;
  ReplayMode mode_;
  const Names* names_ = nullptr;
  RecordedTasks tasks_;
  AnswersReplay answers_;
  LamportClocks clocks_;
  ObjectVersions versions_;      // in place of stamps
  std::vector<Cursor> cursors_;  // by task; those that the log names
  ProcessEnds process_ends_;
  std::set<TaskId> ended_themselves_;  // of runs by real threads, as the log calls them
  StampOrder order_;  // of those that have begun, and need not be waited for by others
  std::array<std::uint64_t, 3> went_by_{};  // how many operations, by rule
  // Of runs by real threads: tasks that wait for something that no stamp tells of, and flags of
  // what is done once and has been done.
  Sleepers sleepers_;
  std::vector<TaskId> let_past_;
  std::set<std::uint64_t> done_flags_;
  CountedOperations counted_;
  std::uint64_t beyond_ = 0;
  bool gave_way_ = false;
  bool has_woken_ = false;         // somebody, by itself
  bool has_come_to_end_ = false;   // of a run that somebody else has ended
  std::uint64_t beyond_idly_ = 0;  // steps without stamps, where all with stamps have been done
  std::optional<Parting> parted_;
};

}  // namespace orrery::detail
