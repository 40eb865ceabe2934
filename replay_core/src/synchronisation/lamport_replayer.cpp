#include "lamport_replayer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/replay_core/recorded_job.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "counted_operations.hpp"
#include "lamport_clocks.hpp"
#include "lamport_cursor.hpp"
#include "messages/answers_replay.hpp"
#include "messages/recorded_tasks.hpp"
#include "object_versions.hpp"
#include "once_ends.hpp"
#include "partings.hpp"
#include "schedules/alternatives.hpp"
#include "sleepers.hpp"
#include "stamp_order.hpp"

namespace orrery::detail {
namespace {

/// A wait acts on its mutex, too, or looks at the word that others write.
bool acts_on_two(OperationKind kind) {
  return kind == OperationKind::condition_wait || kind == OperationKind::write ||
         kind == OperationKind::read_modify_write;
}

/// How long a run goes on by itself that somebody else has ended.
constexpr std::uint64_t beyond_idly_max = 1'000'000;

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
    return EventMask::tasks() | (run_.stamps.is_of_library ? EventMask::of(OperationKind::once_end)
                                                           : LamportClocks::events());
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_event(const Event& event) override;

  [[nodiscard]] bool is_free() const {
    return gave_way_ || (parted_ && mode_ == ReplayMode::best_effort);
  }
  /// Has the log no more of that task?
  [[nodiscard]] bool is_over(TaskId task) const {
    return task.value >= cursors_.size() || cursors_[task.value].is_over();
  }
  [[nodiscard]] bool is_counted(TaskId task, OperationKind kind, ObjectId object) {
    return counted_.counts(task, kind, object);
  }
  [[nodiscard]] bool passes(const Alternative& step) const;
  [[nodiscard]] bool wakes(const Alternative& step) const;
  void has_moved(TaskId task);
  [[nodiscard]] std::optional<std::size_t> first_to_wake(const ChoicePoint& point) const;
  bool lets_others_on();
  [[nodiscard]] bool was_ended_from_outside() const {
    return run_.is_real && !run_.findings.empty() &&
           run_.findings.front().class_name == ended_from_outside;
  }
  /// Has the first thread of a process done all that it did?  Then others may have been cut short.
  [[nodiscard]] bool ends_with_first() const {
    return run_.stamps.is_of_library && run_.stamps.tasks.front().task == TaskId{1} &&
           cursors_[1].is_over();
  }
  [[nodiscard]] bool is_turn_of_all(const Cursor& own) const {
    return own.next_stamp <= order_.least();
  }
  /// What an operation waits for: nothing but what came before it in its own task; the one that
  /// was the last one at its object; all with a smaller stamp.
  enum class Rule : std::uint8_t { own, object, all };
  [[nodiscard]] Rule rule_for(const Alternative& step, const Cursor& own) const;
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
  StampOrder order_;             // of those that have begun, and need not be waited for by others
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

void LamportReplayer::begin_run(const RunInfo& info) {
  names_ = info.names;
  tasks_.begin(run_.messages);
  answers_.begin(run_.messages);
  clocks_.clear();
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
  if (is_free()) return true;
  if (parted_ || has_come_to_end_) return false;
  if (!is_step(alternative) ||
      !is_counted(alternative.id.task, alternative.kind, alternative.object)) {
    return beyond_idly_ < beyond_idly_max;
  }
  const TaskId task = tasks_.of(alternative.id.task);
  if (passes(alternative)) return done_flags_.contains(alternative.object.packed());
  if (is_over(task)) return false;
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
LamportReplayer::Rule LamportReplayer::rule_for(const Alternative& step, const Cursor& own) const {
  if (!run_.stamps.has_objects) return Rule::all;
  if (step.kind == OperationKind::join) return Rule::own;  // it waits for an end anyhow
  if (!run_.stamps.is_of_library) {
    if (acts_on_two(step.kind) || clocks_.waits(tasks_.of(step.id.task))) return Rule::all;
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
  return clocks_.last(clocks_.object_of(step)).stamp ==
         own.last_stamp() + static_cast<std::uint64_t>(mark->ahead);
}

void LamportReplayer::took(const Alternative& alternative) {
  const TaskId task = tasks_.of(alternative.id.task);
  has_moved(task);
  const bool counts = is_counted(alternative.id.task, alternative.kind, alternative.object);
  if (!counts && was_ended_from_outside() && order_.empty() && let_past_.empty() &&
      std::ranges::all_of(cursors_, &Cursor::is_over)) {
    ++beyond_idly_;
  }
  if (!counts || passes(alternative)) return;
  if (wakes(alternative)) {
    has_woken_ = true;
    return sleepers_.remove(alternative.id.task);
  }
  if (is_free() || is_over(task)) {
    ++beyond_;
    return;
  }
  const ObjectId object = clocks_.object_of(alternative);
  if (run_.stamps.is_of_library) {
    Cursor& own = cursors_[task.value];
    ++went_by_[static_cast<std::size_t>(rule_for(alternative, own))];
    clocks_.clock(task) = own.next_stamp;  // whatever its object had
    count(task, alternative.kind, own);
    sleepers_.remove(alternative.id.task);
    if (alternative.kind == OperationKind::condition_wait) {
      sleepers_.add(alternative.id, object, !own.is_over() && own.times_out());
    }
    return;
  }
  if (alternative.kind == OperationKind::join) return;  // whose end it was is told afterwards
  // Where a wait begins its stamp comes of its mutex, too, which is told afterwards; where it is
  // over, of who woke it: by the faster rule others may have notified since.
  const bool waits = alternative.kind == OperationKind::condition_wait;
  if (waits || (run_.stamps.has_objects && clocks_.waits(task))) {
    clocks_.step_with(task, object, cursors_[task.value].next_stamp);
  } else {
    clocks_.step(task, object);
  }
  if (waits) clocks_.wait(task, object);
  count(task, alternative.kind, cursors_[task.value]);
}

void LamportReplayer::on_event(const Event& event) {
  if (is_done_once(event)) done_flags_.insert(event.object.packed());
  if (run_.stamps.is_of_library) return;
  const TaskId task = tasks_.of(event.id.task);
  if (event.kind != OperationKind::join) {
    if (event.gives_up != ObjectId{}) clocks_.touch(task, event.gives_up);
    return;
  }
  if (event.timed_out || is_free() || is_over(task)) return;
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
  return is_over(task) || !cursors_[task.value].begins_once() ||
         done_flags_.contains(step.object.packed());
}

/// Does a sleeper go on by itself?  A real notification may come after its stamp, and find somebody
/// who was not there then.
bool LamportReplayer::wakes(const Alternative& step) const {
  return step.kind == OperationKind::condition_wait && sleepers_.sleep_by(step.id);
}

/// Nobody has recorded whom a notification woke.  Whoever goes on first, by the stamps: if any
/// answers fit, these do (as the earliest deadline first is a schedule if there is one).
std::optional<std::size_t> LamportReplayer::first_to_wake(const ChoicePoint& point) const {
  std::optional<std::size_t> first;
  std::uint64_t least = Cursor::never;
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const TaskId task = tasks_.of(point.alternatives[i].id.task);
    if (is_over(task)) continue;
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

/// Threads that the recorded run did not have: whatever it read that made it start them.
void LamportReplayer::part_at_unknown(const PendingOperations& pending) {
  for (std::uint32_t i = 0; i < pending.task_count() && !parted_; ++i) {
    const Operation& came = pending.operation(TaskId{i});
    const bool waits = pending.state(TaskId{i}) != TaskState::ended &&
                       is_counted(TaskId{i}, came.kind, came.object);
    const TaskId task = tasks_.of(TaskId{i});
    if (waits && task.value >= cursors_.size()) part(task, "no such thread", name(came.kind));
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
  part_at_unknown(pending);
  bool is_left = false;
  for (std::uint32_t i = 0; i < pending.task_count() && !parted_; ++i) {
    if (pending.state(TaskId{i}) == TaskState::ended) continue;
    const TaskId task = tasks_.of(TaskId{i});
    const OperationKind came = pending.operation(TaskId{i}).kind;
    if (!is_counted(TaskId{i}, came, pending.operation(TaskId{i}).object)) continue;
    is_left = is_left || !is_over(task);
    // What a task of a run that ended so waits for may be what it waited for.
    if (is_over(task) && !run_.findings.empty()) continue;
    if (is_over(task)) part(task, "no more", name(came));
  }
  if (!parted_ && !is_left) part_at_end(pending);
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

void LamportReplayer::end_run(const Outcome& outcome) {
  // A real run tells only which signal it died of.
  const bool has_died_so = run_.is_real && !run_.findings.empty() && !outcome.findings.empty();
  const bool was_cut = outcome.limit != Limit::none || has_died_so ||
                       outcome.status == Outcome::Status::abandoned ||
                       has_died_again(run_.findings, outcome);
  for (const LamportRecords::Task& task : run_.stamps.tasks) {
    if (was_cut || parted_ || gave_way_ || has_come_to_end_ || !run_.is_whole) break;
    const Cursor& own = cursors_[task.task.value];
    if (!own.is_over() && ends_with_first()) continue;
    if (!own.is_over()) {
      part(task.task, fmt::format("{} more operations", task.operations - own.done),
           outcome.findings.empty() ? "the end of the program"
                                    : "the end of the run: " + outcome.findings.front().message);
    } else if (own.kinds.value() != task.kinds_hash) {
      part(task.task, "other operations than those that came", "as many of them");
    }
  }
  fallback_.end_run(outcome);
}

}  // namespace

std::unique_ptr<Replayer> make_lamport_replayer(const SavedRun& run, Chooser& fallback,
                                                ReplayMode mode) {
  return std::make_unique<LamportReplayer>(run, fallback, mode);
}

}  // namespace orrery::detail
