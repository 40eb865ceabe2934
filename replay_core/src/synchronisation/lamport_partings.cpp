// Where a replay by time stamps ends, or parts from its log.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "lamport_replay.hpp"

namespace orrery::detail {

/// Everybody has come to where the recorded run ended, and nobody has died of it.  Where nobody
/// could go on, that is how it ended.
void LamportReplayer::part_at_end(const PendingOperations& pending) {
  bool could_go_on = beyond_idly_ >= beyond_idly_max;
  for (std::uint32_t i = 0; i < pending.task_count(); ++i) {
    const bool sleeps = pending.operation(TaskId{i}).kind == OperationKind::condition_wait;
    could_go_on = could_go_on || (pending.state(TaskId{i}) == TaskState::enabled && !sleeps);
  }
  if (!run_.is_real || run_.findings.empty() || !could_go_on) return;
  if (was_ended_from_outside()) {
    if (mode_ == ReplayMode::best_effort) {
      gave_way_ = true;
    } else {
      has_come_to_end_ = true;
    }
    return;
  }
  parted_.emplace();
  parted_->message = fmt::format(
      "all threads have come to the last operation that was recorded of them, and the run has not "
      "ended as there ({}): it has gone another way",
      run_.findings.front().message);
}

// --- partings -----------------------------------------------------------------------------------

void LamportReplayer::part(TaskId task, std::string_view expected, std::string_view came) {
  if (!parted_) parted_ = parting_in(names_->task(tasks_.here(task)), expected, came);
}

/// Has the recorded run had that thread?  It may have come to nothing that it had done.
bool LamportReplayer::has_begun(TaskId task) const {
  const MessageRecords& messages = run_.messages;
  return task.value < messages.first_started + messages.starters.size();
}

/// Threads that the recorded run did not have: whatever it read that made it start them.
void LamportReplayer::part_at_unknown(const PendingOperations& pending) {
  for (std::uint32_t i = 0; i < pending.task_count() && !parted_; ++i) {
    const Operation& came = pending.operation(TaskId{i});
    const bool waits = pending.state(TaskId{i}) != TaskState::ended &&
                       is_counted(TaskId{i}, came.kind, came.object);
    const TaskId task = tasks_.of(TaskId{i});
    const bool is_known = task.value < cursors_.size() || has_begun(task);
    if (waits && !is_known) part(task, "no such thread", name(came.kind));
  }
}

TaskId LamportReplayer::first_that_waits() const {
  if (!order_.empty()) return order_.first();
  if (!let_past_.empty()) return let_past_.front();
  std::uint32_t first = 0;
  while (cursors_[first].is_over()) ++first;
  return TaskId{first};
}

bool LamportReplayer::gives_way(const PendingOperations& pending) {
  if (gave_way_ || parted_ || has_come_to_end_) return false;
  if (!run_.is_whole) {
    gave_way_ = true;  // what the log names next may lie behind what it no longer has
    return true;
  }
  if (lets_others_on()) return true;
  if (run_.stamps.is_of_library && process_ends_.are_due()) return process_ends_.let();
  part_at_unknown(pending);
  bool is_left = false;
  for (std::uint32_t i = 0; i < pending.task_count() && !parted_; ++i) {
    if (pending.state(TaskId{i}) == TaskState::ended) continue;
    const TaskId task = tasks_.of(TaskId{i});
    const OperationKind came = pending.operation(TaskId{i}).kind;
    if (!is_counted(TaskId{i}, came, pending.operation(TaskId{i}).object)) continue;
    const bool is_over = !has_more(task);
    is_left = is_left || !is_over;
    // What a task of a run that ended so waits for may be what it waited for.
    if (is_over && (!run_.findings.empty() || was_cut_at_limit(run_))) continue;
    if (is_over) part(task, "no more", name(came));
  }
  if (!parted_ && !is_left) part_at_end(pending);
  if (!parted_ && !is_left && was_cut_at_limit(run_)) gave_way_ = true;
  if (!parted_ && is_left) {
    const TaskId task = first_that_waits();
    const TaskId here = tasks_.here(task);
    const bool is_here =
        here.value < pending.task_count() && pending.state(here) != TaskState::ended;
    part(task, cursors_[task.value].next_in_words(run_.stamps.has_versions),
         is_here ? fmt::format("{}, which waits", name(pending.operation(here).kind))
                 : "the end of the thread");
  }
  return gave_way_ || (parted_ && mode_ == ReplayMode::best_effort);
}

bool LamportReplayer::may_have_been_cut(TaskId task) const {
  if (!ends_with_first()) return false;
  const bool has_come_to_be = cursors_[task.value].next_stamp != 0;
  if (has_come_to_be) return !ended_themselves_.contains(task);
  const MessageRecords& messages = run_.messages;
  if (task.value < messages.first_started || !has_begun(task)) return true;
  return may_have_been_cut(messages.starters[task.value - messages.first_started]);
}

/// Where the task went no further, in words.
std::string LamportReplayer::end_of(TaskId task, const Outcome& outcome) const {
  if (ended_themselves_.contains(task)) return "the end of the thread";
  if (outcome.findings.empty()) return "the end of the program";
  return "the end of the run: " + outcome.findings.front().message;
}

void LamportReplayer::end_run(const Outcome& outcome) {
  const bool may_be_short =
      need_not_be_over(run_, outcome) || gave_way_ || has_come_to_end_ || !run_.is_whole;
  for (const LamportRecords::Task& task : run_.stamps.tasks) {
    if (may_be_short || parted_) break;
    const Cursor& own = cursors_[task.task.value];
    if (!own.is_over() && may_have_been_cut(task.task)) continue;
    if (!own.is_over()) {
      part(task.task, fmt::format("{} more operations", task.operations - own.done),
           end_of(task.task, outcome));
    } else if (own.kinds.value() != task.kinds_hash) {
      part(task.task, "other operations than those that came", "as many of them");
    }
  }
  fallback_.end_run(outcome);
}

}  // namespace orrery::detail
