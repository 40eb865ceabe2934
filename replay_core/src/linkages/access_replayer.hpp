// A replay by the orders in which tasks came to shared variables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/replay_core/kinds_hash.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "messages/answers_replay.hpp"
#include "messages/recorded_tasks.hpp"
#include "shared_operations.hpp"
#include "switched_off_sites.hpp"
#include "synchronisation/process_ends.hpp"
#include "synchronisation/wide_accesses.hpp"
#include "turn_orders.hpp"

namespace orrery::detail {

/// A chooser that lets a task come to a variable when its turn is there.  Tasks are those of the
/// log.  By itself it is the replayer of `leap`, whose orders have reads, too; those who know what
/// else to do about a read derive from it.
class AccessReplayer : public Replayer, private Chooser, private Observer {
 public:
  AccessReplayer(const SavedRun& run, Chooser& fallback, ReplayMode mode)
      : run_(run), fallback_(fallback), mode_(mode) {}

  [[nodiscard]] Chooser& chooser() override { return *this; }
  [[nodiscard]] Observer* observer() override { return this; }
  [[nodiscard]] const std::optional<Parting>& parted() const override { return parted_; }
  [[nodiscard]] std::uint64_t steps_beyond() const override { return beyond_; }
  [[nodiscard]] Outcome judge(Outcome outcome) const override;

 protected:
  /// One access that a task comes to.
  struct Access {
    TaskId task;
    std::uint64_t operation = 0;  ///< the task's, counted from 0, of those that the log counts
    OperationKind kind = OperationKind::none;
    std::uint32_t variable = 0;
    VariablePlace place;
    std::optional<std::uint32_t> gives_up;  ///< a mutex, on which it acts, too
    bool is_further = false;                ///< by the operation of the access before
  };
  [[nodiscard]] const AccessRecords& records() const { return run_.accesses; }
  [[nodiscard]] bool is_own(std::uint32_t variable) const {
    return records().is_of_memory && variable == records().own();
  }
  [[nodiscard]] const TurnOrders& orders() const { return orders_; }
  /// Are all writes of a log of memory in one order?  Then those to what is a task's own are, too:
  /// where on its stack that lies need not be where it lay (libraries have frames of their own).
  [[nodiscard]] bool is_one_order() const {
    return records().is_of_memory && run_.method == global_writes_method;
  }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t variable) const {
    return is_own(variable) && is_one_order() ? 0 : records().group_of(variable);
  }
  /// Those that still ran when another one ended their process.
  [[nodiscard]] const std::vector<TaskId>& cut_short() const { return cut_short_; }
  [[nodiscard]] bool has_parted() const { return parted_.has_value(); }
  void part(TaskId task, std::string_view expected, std::string_view came);
  [[nodiscard]] bool has_turn(TaskId task, std::uint32_t variable) const {
    const std::uint32_t group = group_of(variable);
    if (!records().is_of_memory) return orders_.whose(group) == task;
    if (!orders_.is_ordered(group)) return true;
    const std::optional<TaskId> next = orders_.whose(group);
    return next == task || next == AccessRecords::anybody;
  }

  virtual void begin() {}
  /// May a task come to a variable now: with a step that only reads?
  /// As its `number`-th read from now on, counted from 0.
  [[nodiscard]] virtual bool admits_read(TaskId task, std::uint32_t variable,
                                         const VariablePlace& /*place*/, std::size_t /*number*/) {
    return has_turn(task, variable) && !half_assigned(task, variable);
  }
  using Words = std::vector<RecordedVariables::Found>;
  /// It may come to each of these words by itself: to all of them at once, too?
  [[nodiscard]] virtual bool admits_at_once(TaskId /*task*/, const Words& /*words*/) {
    return true;
  }
  /// Nothing else is to come: may a task then read something that is not what it had read?
  [[nodiscard]] virtual bool lets_read(TaskId /*task*/, const Words& /*words*/) { return false; }
  /// Something is about to be done: what the last access has left can be seen.
  virtual void step_begins() {}
  /// It is about to read these words at once.
  virtual void reads_at_once(TaskId /*task*/, const Words& /*words*/) {}
  /// It comes to the variable; true: as its turn, false: not by an order.
  virtual bool reads(const Access& /*access*/) { return true; }
  virtual void writes(const Access& /*access*/) {}
  /// It comes to a variable that no other task comes to; has that a turn, it is the task's.
  virtual void reads_own(TaskId /*task*/) {}
  virtual void writes_own(const Access& /*access*/) {}
  virtual void task_begins(TaskId /*task*/, std::optional<TaskId> /*starter*/) {}
  virtual void has_joined(TaskId /*task*/, TaskId /*ended*/) {}
  /// Of a log of memory: the task does what is in one order with all that others do of the kind.
  /// `is_access`: that was the access that came last.
  virtual void synchronises(TaskId /*task*/, bool /*is_access*/) {}
  /// Likewise: it has done what is done once; it finds that this has been done, which comes behind
  /// that and is in no other order.  False: it has not.
  virtual void has_done_once(TaskId /*task*/, ObjectId /*flag*/) {}
  virtual bool passes_once(TaskId /*task*/, ObjectId /*flag*/) { return false; }
  /// What a task waits for at a variable, in words.
  [[nodiscard]] std::string describe_turn(TaskId task, std::uint32_t variable) const;
  [[nodiscard]] virtual std::string describe_read(TaskId task, std::uint32_t variable) {
    return describe_turn(task, variable);
  }
  virtual void end(bool /*is_whole*/) {}
  /// Has another task told that it will write the variable, and waits for what it is to read there?
  /// Then how many turns of its group came before.
  [[nodiscard]] std::optional<std::uint64_t> half_assigned(TaskId task,
                                                           std::uint32_t variable) const {
    if (half_assigned_.is_empty()) return std::nullopt;
    return half_assigned_.by_others(tasks_.here(task), unit_of(variable));
  }
  /// Has each task of the records end where it has come to: a run that failed has nothing behind.
  void stop_where_it_stopped(AccessRecords& records) const;

 private:
  /// Where a task stands in its records.
  struct Cursor {
    const AccessRecords::Task* records = nullptr;
    std::uint64_t done = 0;
    std::size_t timeout = 0;
    std::size_t wait = 0;
    std::size_t wide = 0;
    KindsHash kinds;

    [[nodiscard]] bool is_over() const { return records == nullptr || done >= records->operations; }
    [[nodiscard]] bool is_at_last() const {
      return records != nullptr && done + 1 == records->operations;
    }
    [[nodiscard]] bool times_out() const {
      return timeout < records->timeouts.size() && records->timeouts[timeout] == done;
    }
    [[nodiscard]] bool is_wide() const {
      return wide < records->wide.size() && records->wide[wide].operation == done;
    }
    /// How many words of memory the next operation reaches over.
    [[nodiscard]] std::uint64_t words() const { return is_wide() ? records->wide[wide].words : 1; }
    /// The mutex that the next wait for a condition gives up.
    [[nodiscard]] std::optional<std::uint32_t> gives_up() const {
      const bool has_one = wait < records->given_up.size() && records->given_up[wait] != 0;
      return has_one ? std::optional(records->given_up[wait] - 1) : std::nullopt;
    }
  };

  // Chooser
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& alternative) override;
  void took(const Alternative& alternative) override;
  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override;
  bool gives_way(const PendingOperations& pending) override;
  [[nodiscard]] bool lifts_a_wait() override { return half_assigned_.lift(); }
  [[nodiscard]] std::string explain_divergence(const PendingOperations&) override {
    return mode_ == ReplayMode::best_effort || !parted_ ? std::string() : parted_->message;
  }
  void end_run(const Outcome& outcome) override;
  // Observer
  [[nodiscard]] EventMask interest() const override {
    return EventMask::tasks() | EventMask::of(OperationKind::join) |
           EventMask::of(OperationKind::once_end) | EventMask::allocations();
  }
  void on_allocated(TaskId /*task*/, Address address, std::uint64_t size_bytes) override {
    variables_.forget(address, size_bytes);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    variables_.forget(address, size_bytes);
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_event(const Event& event) override;

  [[nodiscard]] bool has_more(TaskId task) const {
    return task.value < cursors_.size() && !cursors_[task.value].is_over();
  }
  [[nodiscard]] bool is_free() const {
    return gave_way_ || (parted_ && mode_ == ReplayMode::best_effort);
  }
  /// Is the step, for which a task waits, one of those that the log counts?
  [[nodiscard]] bool is_counted(TaskId here, ObjectId object, OperationKind kind);
  void come_to_library(TaskId task, const Alternative& step);
  [[nodiscard]] bool may_come(TaskId task, const Alternative& step, const Cursor& own);
  void come(TaskId task, const Alternative& step, Cursor& own);
  void check_own(TaskId task, const Alternative& step, const VariablePlace& place);
  /// What is written as a whole: a variable, or its group.
  [[nodiscard]] std::uint32_t unit_of(std::uint32_t variable) const {
    return is_one_order() ? variable : group_of(variable);
  }
  void take_turn(std::uint32_t variable) { orders_.take(group_of(variable)); }
  [[nodiscard]] std::string describe_next(TaskId task, const Operation& operation);
  [[nodiscard]] bool lets_somebody_read(const PendingOperations& pending);
  [[nodiscard]] bool lets_read_by(const PendingOperations& pending, bool has_next_turn);
  void check_ends(const Outcome& outcome);

  const SavedRun& run_;
  Chooser& fallback_;
  ReplayMode mode_;
  const Names* names_ = nullptr;
  RecordedTasks tasks_;
  AnswersReplay answers_;
  RecordedVariables variables_;
  TurnOrders orders_;
  SwitchedOffSites sites_;
  std::vector<Cursor> cursors_;  // by task; those that the log names
  HalfAssigned half_assigned_;
  ProcessEnds process_ends_;
  std::vector<TaskId> cut_short_;
  std::uint64_t beyond_ = 0;
  bool gave_way_ = false;
  std::optional<Parting> parted_;
};

}  // namespace orrery::detail
