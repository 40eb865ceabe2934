#include "lamport_replayer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lamport_replay.hpp"
#include "once_ends.hpp"
#include "schedules/alternatives.hpp"

namespace orrery::detail {
namespace {

/// A wait acts on its mutex, too, or looks at the word that others write.
bool acts_on_two(OperationKind kind) {
  return kind == OperationKind::condition_wait || kind == OperationKind::write ||
         kind == OperationKind::read_modify_write;
}

}  // namespace

void LamportReplayer::begin_run(const RunInfo& info) {
  names_ = info.names;
  process_ends_.begin(info);
  ended_themselves_.clear();
  tasks_.begin(run_.messages);
  answers_.begin(run_.messages);
  clocks_.begin(info.pending);
  versions_.begin(run_.stamps);
  cursors_.clear();
  went_by_ = {};
  let_past_.clear();
  sleepers_.clear();
  done_flags_.clear();
  counted_.clear();
  beyond_ = 0;
  gave_way_ = false;
  has_woken_ = false;
  has_come_to_end_ = false;
  beyond_idly_ = 0;
  parted_.reset();
  for (const LamportRecords::Task& task : run_.stamps.tasks) {
    cursors_.resize(std::size_t{task.task.value} + 1);
    cursors_.back().records = &task;
    cursors_.back().next_stamp = 0;  // of one that has not begun nothing is done
  }
  order_.begin(cursors_.size());
  fallback_.begin_run(info);
}

void LamportReplayer::on_task(TaskId task, std::span<const TaskId> predecessors) {
  tasks_.on_task(task, predecessors);
  const TaskId recorded = tasks_.of(task);
  if (recorded.value >= cursors_.size()) return;
  std::vector<TaskId> starters;
  for (const TaskId one : predecessors) starters.push_back(tasks_.of(one));
  clocks_.begin_task(recorded, starters);
  count_next(recorded, cursors_[recorded.value]);
}

void LamportReplayer::count_next(TaskId task, Cursor& own) {
  own.count_from(clocks_.clock(task));
  if (!run_.stamps.has_versions) order_.put(task, own.next_stamp);
}

// --- admission ----------------------------------------------------------------------------------

bool LamportReplayer::admits(const Alternative& alternative) {
  if (is_free()) return !is_step(alternative) || !waits_for_others(alternative);
  if (parted_ || has_come_to_end_) return false;
  if (is_step(alternative) && ends_process(alternative.kind)) {
    return process_ends_.may_come(alternative.id.task,
                                  [this](TaskId other) { return has_more(tasks_.of(other)); });
  }
  if (!is_step(alternative) ||
      !is_counted(alternative.id.task, alternative.kind, alternative.object)) {
    return beyond_idly_ < beyond_idly_max;
  }
  const TaskId task = tasks_.of(alternative.id.task);
  if (passes(alternative)) return done_flags_.contains(alternative.object.packed());
  if (!has_more(task)) return false;
  return may_come(alternative, cursors_[task.value]);
}

bool LamportReplayer::may_come(const Alternative& step, const Cursor& own) {
  if ((step.kind == OperationKind::timeout) != own.times_out()) return false;
  if (run_.stamps.is_of_library) {
    if (step.kind == OperationKind::timeout) return true;  // nobody else notices
    // A notification must not find who waited in vain.
    const bool notifies = step.kind == OperationKind::condition_notify;
    if (notifies && sleepers_.are_in_vain(step.object)) return false;
  }
  if (run_.stamps.has_versions) return versions_.are_due(own.next_accesses());
  switch (rule_for(step, own)) {
    case Rule::own: return true;
    case Rule::object: return is_turn_at_object(step, own);
    default: return is_turn_of_all(own);
  }
}

/// Each rule has an operation wait for smaller stamps only, and so no two ever wait for each other:
/// whoever has the smallest stamp of all waits for nobody.
LamportReplayer::Rule LamportReplayer::rule_for(const Alternative& step, const Cursor& own) {
  if (!run_.stamps.has_objects) return Rule::all;
  if (step.kind == OperationKind::join) return Rule::own;  // it waits for an end anyhow
  if (!run_.stamps.is_of_library) {
    if (acts_on_two(step.kind) || clocks_.waits(tasks_.of(step.id.task))) return Rule::all;
    if (clocks_.reach_of(step).words > 1) return Rule::all;
    return own.next_mark() != nullptr ? Rule::object : Rule::own;
  }
  // Whoever goes on by itself does so when all who could have notified it have come; and who may
  // end the process next, when others have come as far as they had.
  if (wakes(step) || own.is_at_last()) return Rule::all;
  const LamportRecords::Found* const found = own.next_found();
  if (found == nullptr) return Rule::own;
  return found->last == LamportRecords::Found::all ? Rule::all : Rule::object;
}

bool LamportReplayer::is_turn_at_object(const Alternative& step, const Cursor& own) {
  if (run_.stamps.is_of_library) {
    // Thread and stamp name an operation, whatever object it was on.
    const LamportRecords::Found& found = *own.next_found();
    const std::uint64_t stamp = own.last_stamp() + static_cast<std::uint64_t>(found.ahead);
    if (found.last.value >= cursors_.size()) return false;
    const Cursor& last = cursors_[found.last.value];
    if (last.next_stamp <= stamp) return false;
    // A poll that is told of with later ones comes later here: what it came behind is not known.
    return !last.is_of_poll(stamp) || is_turn_of_all(own);
  }
  const LamportRecords::Mark* const mark = own.next_mark();
  return clocks_.last(clocks_.reach_of(step)).stamp ==
         own.last_stamp() + static_cast<std::uint64_t>(mark->ahead);
}

void LamportReplayer::took(const Alternative& alternative) {
  const TaskId task = tasks_.of(alternative.id.task);
  has_moved(task);
  if (ends_process(alternative.kind) && run_.stamps.is_of_library) ended_themselves_.insert(task);
  if (ends_process(alternative.kind) && !run_.stamps.is_of_library) {
    clocks_.end_process(process_ends_.ended_by(alternative.id.task,
                                               [this](TaskId other) { return tasks_.of(other); }));
  }
  const bool counts = is_counted(alternative.id.task, alternative.kind, alternative.object);
  // Where accesses to memory are in the log, too, it says how long.
  const bool may_go_on = was_ended_from_outside() && run_.accesses.tasks.empty();
  if (!counts && may_go_on && order_.empty() && let_past_.empty() &&
      std::ranges::all_of(cursors_, &Cursor::is_over)) {
    ++beyond_idly_;
  }
  if (!counts || passes(alternative)) return;
  if (wakes(alternative)) {
    has_woken_ = true;
    return sleepers_.remove(alternative.id.task);
  }
  if (is_free() || !has_more(task)) {
    ++beyond_;
    note_beyond(alternative);
    return;
  }
  if (run_.stamps.is_of_library) {
    Cursor& own = cursors_[task.value];
    ++went_by_[static_cast<std::size_t>(rule_for(alternative, own))];
    clocks_.clock(task) = own.next_stamp;  // whatever its object had
    count(task, alternative.kind, own);
    sleepers_.remove(alternative.id.task);
    if (alternative.kind == OperationKind::condition_wait) {
      sleepers_.add(alternative.id, alternative.object, !own.is_over() && own.times_out());
    }
    return;
  }
  if (alternative.kind == OperationKind::join) return;  // whose end it was is told afterwards
  // Where a wait begins its stamp comes of its mutex, too, which is told afterwards; where it is
  // over, of who woke it, and others may have notified since.
  const LamportClocks::Reach reach = clocks_.reach_of(alternative);
  const bool waits = alternative.kind == OperationKind::condition_wait;
  if (waits || clocks_.waits(task)) {
    clocks_.step_with(task, reach, cursors_[task.value].next_stamp);
  } else {
    clocks_.step(task, reach);
  }
  if (waits) clocks_.wait(task, reach);
  count(task, alternative.kind, cursors_[task.value]);
}

void LamportReplayer::on_event(const Event& event) {
  const TaskId task = tasks_.of(event.id.task);
  if (is_done_once(event)) done_flags_.insert(event.object.packed());
  if (event.kind == OperationKind::task_end) ended_themselves_.insert(task);
  if (run_.stamps.is_of_library) return;
  if (event.kind != OperationKind::join) {
    if (event.gives_up != ObjectId{}) clocks_.touch(task, clocks_.reach_of(event.gives_up));
    return;
  }
  if (event.timed_out || is_free() || !has_more(task)) return;
  clocks_.join(task, tasks_.of(event.matched.task));
  count(task, event.kind, cursors_[task.value]);
}

void LamportReplayer::count(TaskId task, OperationKind kind, Cursor& own) {
  if (clocks_.clock(task) != own.next_stamp) {
    part(task,
         fmt::format("its operation {} of those with stamps, with stamp {}", own.done + 1,
                     own.next_stamp),
         fmt::format("{} with stamp {}", name(kind), clocks_.clock(task)));
  }
  if (run_.stamps.has_versions) versions_.count(own.next_accesses());
  if (own.advance(kind)) count_next(task, own);
}

std::vector<std::pair<std::string_view, std::uint64_t>> LamportReplayer::counts() const {
  if (run_.stamps.has_versions) return {};
  return {{"behind_own", went_by_[0]}, {"behind_object", went_by_[1]}, {"behind_all", went_by_[2]}};
}

Decision LamportReplayer::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::step || is_free()) return fallback_.choose(point);
  if (run_.stamps.is_of_library && point.kind == ChoiceKind::waiter) {
    if (const auto first = first_to_wake(point)) return Decision::take(*first);
  }
  const auto chosen = answers_.chosen(tasks_.of(point.asker), point.kind);
  for (std::size_t i = 0; chosen && i < point.alternatives.size(); ++i) {
    if (tasks_.of(point.alternatives[i].id).packed() == *chosen) return Decision::take(i);
  }
  return Decision::take(point.default_index());
}

// --- runs by real threads -----------------------------------------------------------------------

/// Does the task come to what is done once, and has been done by another?  That is in no record:
/// compilers look at the flag themselves.
bool LamportReplayer::passes(const Alternative& step) const {
  if (!run_.stamps.is_of_library || step.kind != OperationKind::once_begin) return false;
  const TaskId task = tasks_.of(step.id.task);
  return !has_more(task) || !cursors_[task.value].begins_once() ||
         done_flags_.contains(step.object.packed());
}

/// Does a sleeper go on by itself?  A real notification may come after its stamp, and find somebody
/// who was not there then.
bool LamportReplayer::wakes(const Alternative& step) const {
  return step.kind == OperationKind::condition_wait && sleepers_.sleep_by(step.id);
}

/// Does a sleeper who may wake by itself have no reason to?  Whoever slept when the log ended may
/// have been notified before; but a thread that sleeps again and again would poll for ever.
bool LamportReplayer::waits_for_others(const Alternative& step) const {
  return step.kind == OperationKind::condition_wait && sleepers_.sleep_until_notified(step.id);
}

/// What the log does not say any more.
void LamportReplayer::note_beyond(const Alternative& step) {
  if (!run_.stamps.is_of_library) return;
  if (is_free()) sleepers_.begin_to_be_notified();
  sleepers_.remove(step.id.task);
  if (step.kind != OperationKind::condition_wait) return;
  sleepers_.add(step.id, step.object, /*is_in_vain=*/false);
}

/// Nobody has recorded whom a notification woke.  Whoever goes on first, by the stamps: if any
/// answers fit, these do (as the earliest deadline first is a schedule if there is one).
std::optional<std::size_t> LamportReplayer::first_to_wake(const ChoicePoint& point) const {
  std::optional<std::size_t> first;
  std::uint64_t least = Cursor::never;
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const TaskId task = tasks_.of(point.alternatives[i].id.task);
    if (!has_more(task)) continue;
    const Cursor& own = cursors_[task.value];
    const auto accesses = own.next_accesses();
    const std::uint64_t turn = accesses.empty() ? own.next_stamp : accesses.front().version;
    if (own.times_out() || turn >= least) continue;
    least = turn;
    first = i;
  }
  return first;
}

/// Who has the smallest stamp may wait for something without one: a pipe, a word of memory, what is
/// done once.  Then the others go on until it does.
bool LamportReplayer::lets_others_on() {
  if (!run_.stamps.is_of_library || order_.empty()) return false;
  let_past_.push_back(order_.first());
  order_.remove(let_past_.back());
  return true;
}

void LamportReplayer::has_moved(TaskId task) {
  if (std::erase(let_past_, task) == 0) return;
  order_.put(task, cursors_[task.value].next_stamp);
}

std::unique_ptr<Replayer> make_lamport_replayer(const SavedRun& run, Chooser& fallback,
                                                ReplayMode mode) {
  return std::make_unique<LamportReplayer>(run, fallback, mode);
}

}  // namespace orrery::detail
