#include "access_replayer.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/replay_core/memory_groups.hpp>

#include "leap_replayer.hpp"
#include "memory_replayer.hpp"
#include "partings.hpp"
#include "schedules/alternatives.hpp"
#include "synchronisation/lamport_clocks.hpp"
#include "synchronisation/once_ends.hpp"

namespace orrery::detail {
Outcome AccessReplayer::judge(Outcome outcome) const {
  return judge_replay(std::move(outcome), parted_, mode_);
}

void AccessReplayer::begin_run(const RunInfo& info) {
  names_ = info.names;
  process_ends_.begin(info);
  cut_short_.clear();
  tasks_.begin(run_.messages);
  answers_.begin(run_.messages);
  variables_.begin(records());
  variables_.set_stacks([this](std::uint64_t address) {
    std::optional<StackPlace> place = stack_place(address);
    if (place) place->owner = tasks_.of(place->owner);
    return place;
  });
  variables_.set_turns([this](TaskId task, std::uint32_t variable) {
    return orders_.has_left(group_of(variable), task);
  });
  orders_.begin(records());
  sites_.begin(records().switched_off);
  cursors_.clear();
  half_assigned_.begin(info.pending);
  beyond_ = 0;
  gave_way_ = false;
  parted_.reset();
  for (const AccessRecords::Task& task : records().tasks) {
    cursors_.resize(std::size_t{task.task.value} + 1);
    cursors_.back().records = &task;
  }
  begin();
  fallback_.begin_run(info);
}

void AccessReplayer::on_task(TaskId task, std::span<const TaskId> predecessors) {
  tasks_.on_task(task, predecessors);
  const bool is_started = !predecessors.empty();
  // Who comes to the stack of a thread that slept, or had ended, need not come earlier here.
  if (!is_started && records().is_of_memory) keep_ended_stacks();
  const TaskId own = tasks_.of(task);
  if (!RecordedTasks::is_known(own)) return;
  task_begins(own, is_started ? std::optional(tasks_.of(predecessors.front())) : std::nullopt);
}

void AccessReplayer::on_event(const Event& event) {
  const TaskId own = tasks_.of(event.id.task);
  if (!RecordedTasks::is_known(own)) return;
  if (event.kind == OperationKind::once_end) {
    if (is_done_once(event)) has_done_once(own, event.object);
    return;
  }
  const TaskId joined = tasks_.of(event.matched.task);
  if (!event.timed_out && RecordedTasks::is_known(joined)) has_joined(own, joined);
}

// --- admission ----------------------------------------------------------------------------------

bool AccessReplayer::is_counted(TaskId here, ObjectId object, OperationKind kind) {
  if (!records().is_of_memory) return has_stamp(kind);
  if (!is_atomic_operation(kind)) return false;
  const VariablePlace& place = variables_.place(object);
  if (place.program_address == 0) return false;
  const bool may_be_off = !records().switched_off.accesses.empty() && !place.is_atomic;
  return !may_be_off || !sites_.has(program_counter_of(here));
}

bool AccessReplayer::admits(const Alternative& alternative) {
  if (is_free()) return true;
  if (parted_) return false;
  if (is_step(alternative) && ends_process(alternative.kind)) {
    return process_ends_.may_come(alternative.id.task,
                                  [this](TaskId other) { return has_more(tasks_.of(other)); });
  }
  if (!is_step(alternative) ||
      !is_counted(alternative.id.task, alternative.object, alternative.kind)) {
    return true;
  }
  const TaskId task = tasks_.of(alternative.id.task);
  if (task.value >= cursors_.size() || cursors_[task.value].is_over()) return false;
  return may_come(task, alternative, cursors_[task.value]);
}

bool AccessReplayer::may_come(TaskId task, const Alternative& step, const Cursor& own) {
  if ((step.kind == OperationKind::timeout) != own.times_out()) return false;
  if (!acts_on_variable(step.kind)) return true;
  const auto all = variables_.find(task, step.kind, stamped_object(step), own.words());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const RecordedVariables::Found& one = all[i];
    if (is_own(one.variable)) {
      if (is_one_order() && !only_reads(step.kind) && !has_turn(task, one.variable)) return false;
      continue;
    }
    const bool is_admitted =
        only_reads(step.kind) ? admits_read(task, one.variable, one.place, i)
                              : has_turn(task, one.variable) && !half_assigned(task, one.variable);
    if (!is_admitted) return false;
  }
  if (all.empty()) return false;
  if (all.size() > 1 && only_reads(step.kind) && !admits_at_once(task, all)) return false;
  const auto mutex = step.kind == OperationKind::condition_wait ? own.gives_up() : std::nullopt;
  return !mutex || has_turn(task, *mutex);
}

void AccessReplayer::took(const Alternative& alternative) {
  step_begins();
  const TaskId task = tasks_.of(alternative.id.task);
  half_assigned_.steps(alternative.id.task);
  if (ends_process(alternative.kind)) {
    cut_short_ = process_ends_.ended_by(alternative.id.task,
                                        [this](TaskId other) { return tasks_.of(other); });
    cut_short_.erase(cut_short_.begin());
    std::erase_if(cut_short_, [](TaskId one) { return !RecordedTasks::is_known(one); });
  }
  if (!is_counted(alternative.id.task, alternative.object, alternative.kind)) {
    if (records().is_of_memory && is_library_operation(alternative.kind) &&
        RecordedTasks::is_known(task)) {
      come_to_library(task, alternative);
    }
    return;
  }
  if (is_free() || task.value >= cursors_.size() || cursors_[task.value].is_over()) {
    ++beyond_;
    return;
  }
  Cursor& own = cursors_[task.value];
  if (acts_on_variable(alternative.kind)) come(task, alternative, own);
  if (own.times_out()) ++own.timeout;
  if (alternative.kind == OperationKind::condition_wait) ++own.wait;
  if (own.is_wide()) ++own.wide;
  own.kinds.add(alternative.kind);
  ++own.done;
}

/// Compilers look by themselves whether something has been done: real threads have no stamps there.
void AccessReplayer::come_to_library(TaskId task, const Alternative& step) {
  if (step.kind == OperationKind::once_begin && passes_once(task, step.object)) return;
  synchronises(task, false);
}

void AccessReplayer::come(TaskId task, const Alternative& step, Cursor& own) {
  Access access{
      .task = task, .operation = own.done, .kind = step.kind, .place = {}, .gives_up = {}};
  if (step.kind == OperationKind::condition_wait) access.gives_up = own.gives_up();
  const Words all = variables_.find(task, step.kind, stamped_object(step), own.words());
  if (all.size() > 1 && only_reads(step.kind)) reads_at_once(task, all);
  for (const RecordedVariables::Found& one : all) {
    variables_.come_to(task, one);
    access.variable = one.variable;
    access.place = one.place;
    if (is_own(one.variable)) {
      check_own(task, step, one.place);
      if (only_reads(step.kind)) {
        reads_own(task);
      } else if (is_one_order()) {
        writes_own(access);
        take_turn(one.variable);
        access.is_further = true;
      }
      continue;
    }
    const bool is_read = only_reads(step.kind);
    if (!is_read) {
      half_assigned_.writes(step.id.task, own.words(), unit_of(one.variable),
                            orders_.taken(group_of(one.variable)));
    }
    const bool has_turn = is_read ? reads(access) : (writes(access), true);
    if (has_turn) take_turn(one.variable);
    access.is_further = true;
  }
  if (access.gives_up) take_turn(*access.gives_up);
  const bool is_atomic = records().is_of_memory && variables_.place(step.object).is_atomic;
  // Those of its own have no turns, but stamps.
  if (is_atomic) synchronises(task, access.is_further);
}

// --- answers ------------------------------------------------------------------------------------

Decision AccessReplayer::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::step || is_free()) return fallback_.choose(point);
  const auto chosen = answers_.chosen(tasks_.of(point.asker), point.kind);
  for (std::size_t i = 0; chosen && i < point.alternatives.size(); ++i) {
    if (tasks_.of(point.alternatives[i].id).packed() == *chosen) return Decision::take(i);
  }
  return Decision::take(point.default_index());
}

std::uint64_t AccessReplayer::choose_value(const ValueQuestion& question) {
  if (question.kind == ChoiceKind::jitter) return fallback_.choose_value(question);
  return answers_.answer(tasks_.of(question.asker), question);
}

// --- partings -----------------------------------------------------------------------------------

void AccessReplayer::part(TaskId task, std::string_view expected, std::string_view came) {
  if (!parted_) parted_ = parting_in(names_->task(tasks_.here(task)), expected, came);
}

/// What is one task's own is in no order: that two meet there is not what was recorded.
void AccessReplayer::check_own(TaskId task, const Alternative& step, const VariablePlace& place) {
  const auto other = variables_.met_at_own(task, place);
  if (!other || parted_) return;
  part(
      task,
      fmt::format("that one thread alone comes to the word at {:#x}",
                  place.program_address / MemoryGroups::word_bytes * MemoryGroups::word_bytes),
      fmt::format("{} on {}, where {} has been, and the log has no order of the two",
                  name(step.kind), names_->object(step.object), names_->task(tasks_.here(*other))));
  const std::uintptr_t counter = program_counter_of(step.id.task);
  if (counter == 0) return;
  FindingPlace where = names_->place(SourceLocation::at(counter));
  where.task = parted_->where.task;
  where.role = parted_->where.role;
  parted_->where = std::move(where);
}

std::string AccessReplayer::describe_turn(TaskId task, std::uint32_t variable) const {
  const std::optional<TaskId> next = orders_.whose(group_of(variable));
  if (!next) return is_own(variable) ? "which is its own" : "where nobody comes any more";
  if (*next == task || *next == AccessRecords::anybody) return "where it is its turn";
  return "where it is the turn of " + names_->task(tasks_.here(*next));
}

std::string AccessReplayer::describe_next(TaskId task, const Operation& operation) {
  std::string text(name(operation.kind));
  if (operation.object == ObjectId{}) return text;
  text += fmt::format(" on {}", names_->object(operation.object));
  const Words words = variables_.find(task, operation.kind, operation.object, 1);
  if (words.empty()) return text + ", which the log does not name";
  const std::uint32_t variable = words.front().variable;
  const bool is_read = only_reads(operation.kind);
  return text + ", " + (is_read ? describe_read(task, variable) : describe_turn(task, variable));
}

/// Who has the next turn must come to it before others write: so what it waits to read will not
/// come.
bool AccessReplayer::lets_somebody_read(const PendingOperations& pending) {
  return lets_read_by(pending, /*has_next_turn=*/true) ||
         lets_read_by(pending, /*has_next_turn=*/false);
}

bool AccessReplayer::lets_read_by(const PendingOperations& pending, bool has_next_turn) {
  for (std::uint32_t i = 0; i < pending.task_count(); ++i) {
    const TaskId task = tasks_.of(TaskId{i});
    const Operation& operation = pending.operation(TaskId{i});
    const bool has_ended = pending.state(TaskId{i}) == TaskState::ended;
    if (has_ended || !only_reads(operation.kind) || task.value >= cursors_.size()) continue;
    const Cursor& own = cursors_[task.value];
    if (own.is_over()) continue;
    const Words words = variables_.find(task, operation.kind, operation.object, own.words());
    if (words.empty()) continue;
    if ((orders_.whose(group_of(words.front().variable)) == task) != has_next_turn) continue;
    if (lets_read(task, words)) return true;
  }
  return false;
}

bool AccessReplayer::gives_way(const PendingOperations& pending) {
  if (gave_way_ || parted_) return false;
  if (lifts_a_wait()) return true;
  if (lets_somebody_read(pending)) return true;
  if (records().is_of_memory && process_ends_.are_due()) return process_ends_.let();
  if (!run_.is_whole) {
    gave_way_ = true;  // what the log names next may lie behind what it no longer has
    return true;
  }
  const bool was_cut = was_cut_at_limit(run_);
  const bool has_more = was_cut || !run_.findings.empty();
  std::optional<TaskId> stuck;
  for (std::uint32_t i = 0; i < pending.task_count() && !parted_; ++i) {
    if (pending.state(TaskId{i}) == TaskState::ended) continue;
    const TaskId task = tasks_.of(TaskId{i});
    const OperationKind came = pending.operation(TaskId{i}).kind;
    if (!is_counted(TaskId{i}, pending.operation(TaskId{i}).object, came)) continue;
    const bool is_over = task.value >= cursors_.size() || cursors_[task.value].is_over();
    const bool waits = pending.state(TaskId{i}) == TaskState::disabled;
    if (!is_over && !(stuck && waits)) stuck = TaskId{i};
    // What a task of a run that ended so waits for may be what it waited for.
    if (is_over && !has_more) {
      part(task, RecordedTasks::is_known(task) ? "no more" : "no such thread", name(came));
    }
  }
  if (!parted_ && !stuck && was_cut) {
    gave_way_ = true;
    return true;
  }
  if (!parted_ && stuck) {
    const TaskId task = tasks_.of(*stuck);
    const Cursor& own = cursors_[task.value];
    part(task, fmt::format("operation {} of {}", own.done + 1, own.records->operations),
         describe_next(task, pending.operation(*stuck)));
  }
  return parted_ && mode_ == ReplayMode::best_effort;
}

void AccessReplayer::end_run(const Outcome& outcome) {
  step_begins();
  check_ends(outcome);
  end(!parted_ && !gave_way_);
  fallback_.end_run(outcome);
}

void AccessReplayer::stop_where_it_stopped(AccessRecords& records) const {
  for (AccessRecords::Task& task : records.tasks) {
    const std::uint64_t done = cursors_[task.task.value].done;
    if (done == task.operations) continue;
    task.operations = done;
    task.kinds_hash = 0;
    std::erase_if(task.timeouts, [done](std::uint64_t timeout) { return timeout >= done; });
    std::erase_if(task.wide,
                  [done](const AccessRecords::Wide& wide) { return wide.operation >= done; });
  }
}

void AccessReplayer::check_ends(const Outcome& outcome) {
  if (need_not_be_over(run_, outcome) || parted_ || gave_way_ || !run_.is_whole) return;
  for (const AccessRecords::Task& task : records().tasks) {
    const Cursor& own = cursors_[task.task.value];
    if (process_ends_.are_let() && own.is_at_last()) continue;
    if (!own.is_over()) {
      part(task.task, fmt::format("{} more operations", task.operations - own.done),
           outcome.findings.empty() ? "the end of the program"
                                    : "the end of the run: " + outcome.findings.front().message);
      return;
    }
    if (task.kinds_hash != 0 && own.kinds.value() != task.kinds_hash) {
      return part(task.task, "other operations than those that came", "as many of them");
    }
  }
}

std::unique_ptr<Replayer> make_leap_replayer(const SavedRun& run, Chooser& fallback,
                                             ReplayMode mode) {
  constexpr auto make = [](const SavedRun& log, Chooser& other,
                           ReplayMode how) -> std::unique_ptr<Replayer> {
    return std::make_unique<AccessReplayer>(log, other, how);
  };
  if (run.accesses.is_of_memory) return make_memory_replayer(run, fallback, mode, make);
  return make(run, fallback, mode);
}

}  // namespace orrery::detail
