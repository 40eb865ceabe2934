#include "lamport_replayer.hpp"

#include <algorithm>
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
#include "partings.hpp"
#include "schedules/alternatives.hpp"

namespace orrery::detail {
namespace {

/// A wait acts on its mutex, too, or looks at the word that others write: the rule by objects says
/// nothing of that.
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
    return EventMask::tasks() | LamportClocks::events();
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_event(const Event& event) override;

  [[nodiscard]] bool is_free() const {
    return gave_way_ || (parted_ && mode_ == ReplayMode::best_effort);
  }
  [[nodiscard]] bool is_counted(TaskId task, OperationKind kind, ObjectId object) {
    return counted_.counts(task, kind, object);
  }
  [[nodiscard]] bool passes(const Alternative& step) const;
  [[nodiscard]] bool wakes(const Alternative& step) const;
  void has_slept(TaskId here);
  void has_moved(TaskId task);
  [[nodiscard]] std::optional<std::size_t> first_to_wake(const ChoicePoint& point) const;
  bool lets_others_on();
  [[nodiscard]] bool was_ended_from_outside() const {
    return run_.is_real && !run_.findings.empty() &&
           run_.findings.front().class_name == ended_from_outside;
  }
  [[nodiscard]] bool is_turn_of_all(const Cursor& own) const {
    return order_.empty() || own.next_stamp <= order_.begin()->first;
  }
  /// Of real threads some things that order have no object: what had been done once, polls that
  /// stand for many.  One of forty replays by objects alone got stuck.
  [[nodiscard]] bool goes_by_objects() const {
    return run_.stamps.has_objects && !run_.stamps.is_of_library;
  }
  [[nodiscard]] bool is_turn_at_object(const Alternative& step, const Cursor& own) const;
  /// Who has not come to its end: of stamps, whose is the smallest.
  [[nodiscard]] TaskId first_that_waits() const;
  void part_at_end(const PendingOperations& pending);
  void part_at_unknown(const PendingOperations& pending);
  void count(TaskId task, OperationKind kind, Cursor& own);
  [[nodiscard]] bool may_come(const Alternative& step, const Cursor& own) const;
  void count_next(TaskId task, Cursor& own);
  void part(TaskId task, std::string_view expected, std::string_view came);

  const SavedRun& run_;
  Chooser& fallback_;
  ReplayMode mode_;
  const Names* names_ = nullptr;
  RecordedTasks tasks_;
  AnswersReplay answers_;
  LamportClocks clocks_;
  ObjectVersions versions_;                                  // in place of stamps
  std::vector<Cursor> cursors_;                              // by task; those that the log names
  std::set<std::pair<std::uint64_t, std::uint32_t>> order_;  // next stamps, and whose they are
  // Of runs by real threads: tasks that wait for something that no stamp tells of, and flags of
  // what is done once and has been done.
  struct Sleeper {
    OperationId wait;  // of the replay
    ObjectId condition;
    bool is_in_vain;  // its deadline comes first
  };
  std::vector<Sleeper> sleepers_;
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
  order_.clear();
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
  }
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
  order_.erase({own.next_stamp, task.value});
  own.next_stamp = Cursor::never;
  if (own.is_over()) return;
  const LamportRecords::Mark* const mark = own.next_mark();
  const bool is_ahead = mark != nullptr && mark->ahead > 0;
  own.next_stamp =
      clocks_.clock(task) + 1 + (is_ahead ? static_cast<std::uint64_t>(mark->ahead) : 0);
  if (!run_.stamps.has_versions) order_.insert({own.next_stamp, task.value});
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
  if (task.value >= cursors_.size() || cursors_[task.value].is_over()) return false;
  return may_come(alternative, cursors_[task.value]);
}

bool LamportReplayer::may_come(const Alternative& step, const Cursor& own) const {
  if ((step.kind == OperationKind::timeout) != own.times_out()) return false;
  // Who joins waits for an end anyhow.
  if (goes_by_objects() && step.kind == OperationKind::join) return true;
  if (run_.stamps.is_of_library) {
    if (step.kind == OperationKind::timeout) return true;  // nobody else notices
    // A notification must not find who waited in vain.
    const bool notifies = step.kind == OperationKind::condition_notify;
    const auto finds = [&](const Sleeper& sleeper) {
      return sleeper.is_in_vain && sleeper.condition == step.object;
    };
    if (notifies && std::ranges::any_of(sleepers_, finds)) return false;
  }
  if (run_.stamps.has_versions) return versions_.are_due(own.next_accesses());
  return goes_by_objects() ? is_turn_at_object(step, own) : is_turn_of_all(own);
}

bool LamportReplayer::is_turn_at_object(const Alternative& step, const Cursor& own) const {
  if (acts_on_two(step.kind)) return is_turn_of_all(own);
  const LamportRecords::Mark* const mark = own.next_mark();
  if (mark == nullptr) return true;
  return clocks_.last(stamped_object(step)).stamp ==
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
    return has_slept(alternative.id.task);
  }
  if (alternative.kind == OperationKind::once_end) {
    done_flags_.insert(alternative.object.packed());
  }
  if (is_free() || task.value >= cursors_.size() || cursors_[task.value].is_over()) {
    ++beyond_;
    return;
  }
  const ObjectId object = stamped_object(alternative);
  if (run_.stamps.is_of_library) {
    Cursor& own = cursors_[task.value];
    clocks_.clock(task) = own.next_stamp;  // whatever its object had
    count(task, alternative.kind, own);
    has_slept(alternative.id.task);
    if (alternative.kind == OperationKind::condition_wait) {
      sleepers_.push_back({alternative.id, object, !own.is_over() && own.times_out()});
    }
    return;
  }
  if (alternative.kind == OperationKind::join) return;  // whose end it was is told afterwards
  if (alternative.kind == OperationKind::condition_wait) {
    // Where it begins its stamp comes of its mutex, too, which is told afterwards.
    clocks_.clock(task) = cursors_[task.value].next_stamp;
    clocks_.touch(task, object);
  } else {
    clocks_.step(task, object);
  }
  count(task, alternative.kind, cursors_[task.value]);
}

void LamportReplayer::on_event(const Event& event) {
  const TaskId task = tasks_.of(event.id.task);
  if (run_.stamps.is_of_library) {
    if (event.gives_up != ObjectId{}) clocks_.touch(task, event.gives_up);
    return;
  }
  if (event.kind != OperationKind::join) {
    if (event.gives_up != ObjectId{}) clocks_.touch(task, event.gives_up);
    return;
  }
  if (event.timed_out || is_free() || task.value >= cursors_.size()) return;
  if (cursors_[task.value].is_over()) return;
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
  versions_.count(own.next_accesses());
  if (own.advance(kind)) count_next(task, own);
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
  const bool is_over = task.value >= cursors_.size() || cursors_[task.value].is_over();
  return is_over || !cursors_[task.value].begins_once() ||
         done_flags_.contains(step.object.packed());
}

/// Does a sleeper go on by itself?  A real notification may come after its stamp, and find somebody
/// who was not there then.
bool LamportReplayer::wakes(const Alternative& step) const {
  return step.kind == OperationKind::condition_wait &&
         std::ranges::find(sleepers_, step.id, &Sleeper::wait) != sleepers_.end();
}

void LamportReplayer::has_slept(TaskId here) {
  std::erase_if(sleepers_, [&](const Sleeper& sleeper) { return sleeper.wait.task == here; });
}

/// Nobody has recorded whom a notification woke.  Whoever goes on first, by the stamps: if any
/// answers fit, these do (as the earliest deadline first is a schedule if there is one).
std::optional<std::size_t> LamportReplayer::first_to_wake(const ChoicePoint& point) const {
  std::optional<std::size_t> first;
  std::uint64_t least = Cursor::never;
  for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
    const TaskId task = tasks_.of(point.alternatives[i].id.task);
    if (task.value >= cursors_.size() || cursors_[task.value].is_over()) continue;
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
  let_past_.emplace_back(TaskId{order_.begin()->second});
  order_.erase(order_.begin());
  return true;
}

void LamportReplayer::has_moved(TaskId task) {
  const auto found = std::ranges::find(let_past_, task);
  if (found == let_past_.end()) return;
  let_past_.erase(found);
  order_.insert({cursors_[task.value].next_stamp, task.value});
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
  if (!order_.empty()) return TaskId{order_.begin()->second};
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
    const bool is_over = task.value >= cursors_.size() || cursors_[task.value].is_over();
    is_left = is_left || !is_over;
    // What a task of a run that ended so waits for may be what it waited for.
    if (is_over && !run_.findings.empty()) continue;
    if (is_over) part(task, "no more", name(came));
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
