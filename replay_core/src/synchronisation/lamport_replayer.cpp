#include "lamport_replayer.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "kinds_hash.hpp"
#include "lamport_clocks.hpp"
#include "messages/answers_replay.hpp"
#include "messages/recorded_tasks.hpp"
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

/// A chooser that stalls each operation until all with a smaller stamp are done (the rule as
/// printed); or, where the log has what it takes, until the operation that was the last one on its
/// object is done.  Tasks are those of the log, objects those of the replay.
class LamportReplayer final : public Replayer, private Chooser, private Observer {
 public:
  LamportReplayer(const SavedRun& run, Chooser& fallback, ReplayMode mode)
      : run_(run), fallback_(fallback), mode_(mode) {}

  [[nodiscard]] Chooser& chooser() override { return *this; }
  [[nodiscard]] Observer* observer() override { return this; }
  [[nodiscard]] const std::optional<Parting>& parted() const override { return parted_; }
  [[nodiscard]] std::uint64_t steps_beyond() const override { return beyond_; }
  [[nodiscard]] Outcome judge(Outcome outcome) const override {
    return judge_replay(std::move(outcome), parted_, mode_);
  }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  /// Where a task stands in its records.
  struct Cursor {
    const LamportRecords::Task* records = nullptr;
    std::uint64_t done = 0;
    std::size_t mark = 0;
    std::size_t timeout = 0;
    KindsHash kinds;
    std::uint64_t next_stamp = never;

    [[nodiscard]] bool is_over() const { return records == nullptr || done >= records->operations; }
    /// What the next operation found at its object; null: its last one there, or nothing ahead.
    [[nodiscard]] const LamportRecords::Mark* next_mark() const {
      const bool has_mark = mark < records->marks.size() && records->marks[mark].operation == done;
      return has_mark ? &records->marks[mark] : nullptr;
    }
    [[nodiscard]] bool times_out() const {
      return timeout < records->timeouts.size() && records->timeouts[timeout] == done;
    }
  };

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
  std::vector<Cursor> cursors_;                              // by task; those that the log names
  std::set<std::pair<std::uint64_t, std::uint32_t>> order_;  // next stamps, and whose they are
  std::uint64_t beyond_ = 0;
  bool gave_way_ = false;
  std::optional<Parting> parted_;
};

void LamportReplayer::begin_run(const RunInfo& info) {
  names_ = info.names;
  tasks_.begin(run_.messages);
  answers_.begin(run_.messages);
  clocks_.clear();
  cursors_.clear();
  order_.clear();
  beyond_ = 0;
  gave_way_ = false;
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
  own.next_stamp = never;
  if (own.is_over()) return;
  const LamportRecords::Mark* const mark = own.next_mark();
  const bool is_ahead = mark != nullptr && mark->ahead > 0;
  own.next_stamp =
      clocks_.clock(task) + 1 + (is_ahead ? static_cast<std::uint64_t>(mark->ahead) : 0);
  order_.insert({own.next_stamp, task.value});
}

// --- admission ----------------------------------------------------------------------------------

bool LamportReplayer::admits(const Alternative& alternative) {
  if (is_free()) return true;
  if (parted_) return false;
  if (!is_step(alternative) || !has_stamp(alternative.kind)) return true;
  const TaskId task = tasks_.of(alternative.id.task);
  if (task.value >= cursors_.size() || cursors_[task.value].is_over()) return false;
  return may_come(alternative, cursors_[task.value]);
}

bool LamportReplayer::may_come(const Alternative& step, const Cursor& own) const {
  if ((step.kind == OperationKind::timeout) != own.times_out()) return false;
  // Who joins waits for an end anyhow.
  if (run_.stamps.has_objects && step.kind == OperationKind::join) return true;
  if (!run_.stamps.has_objects || acts_on_two(step.kind))
    return own.next_stamp <= order_.begin()->first;
  const LamportRecords::Mark* const mark = own.next_mark();
  if (mark == nullptr) return true;
  const std::uint64_t clock =
      own.next_stamp - 1 - (mark->ahead > 0 ? static_cast<std::uint64_t>(mark->ahead) : 0);
  return clocks_.last(stamped_object(step)).stamp ==
         clock + static_cast<std::uint64_t>(mark->ahead);
}

void LamportReplayer::took(const Alternative& alternative) {
  if (!has_stamp(alternative.kind)) return;
  const TaskId task = tasks_.of(alternative.id.task);
  if (is_free() || task.value >= cursors_.size() || cursors_[task.value].is_over()) {
    ++beyond_;
    return;
  }
  if (alternative.kind == OperationKind::join) return;  // whose end it was is told afterwards
  const ObjectId object = stamped_object(alternative);
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
  if (own.next_mark() != nullptr) ++own.mark;
  if (own.times_out()) ++own.timeout;
  own.kinds.add(kind);
  ++own.done;
  count_next(task, own);
}

Decision LamportReplayer::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::step || is_free()) return fallback_.choose(point);
  const auto chosen = answers_.chosen(tasks_.of(point.asker), point.kind);
  for (std::size_t i = 0; chosen && i < point.alternatives.size(); ++i) {
    if (tasks_.of(point.alternatives[i].id).packed() == *chosen) return Decision::take(i);
  }
  return Decision::take(point.default_index());
}

// --- partings -----------------------------------------------------------------------------------

void LamportReplayer::part(TaskId task, std::string_view expected, std::string_view came) {
  if (!parted_) parted_ = parting_in(names_->task(tasks_.here(task)), expected, came);
}

bool LamportReplayer::gives_way(const PendingOperations& pending) {
  if (gave_way_ || parted_) return false;
  if (!run_.is_whole) {
    gave_way_ = true;  // what the log names next may lie behind what it no longer has
    return true;
  }
  bool is_left = false;
  for (std::uint32_t i = 0; i < pending.task_count() && !parted_; ++i) {
    if (pending.state(TaskId{i}) == TaskState::ended) continue;
    const TaskId task = tasks_.of(TaskId{i});
    const OperationKind came = pending.operation(TaskId{i}).kind;
    if (!has_stamp(came)) continue;
    const bool is_over = task.value >= cursors_.size() || cursors_[task.value].is_over();
    is_left = is_left || !is_over;
    // What a task of a run that ended so waits for may be what it waited for.
    if (is_over && !run_.findings.empty()) continue;
    if (is_over) part(task, "no more", name(came));
  }
  if (!parted_ && is_left) {
    const auto [stamp, task] = *order_.begin();
    part(TaskId{task}, fmt::format("an operation with stamp {}", stamp),
         "something else, which waits");
  }
  return parted_ && mode_ == ReplayMode::best_effort;
}

void LamportReplayer::end_run(const Outcome& outcome) {
  const bool was_cut = outcome.limit != Limit::none ||
                       outcome.status == Outcome::Status::abandoned ||
                       has_died_again(run_.findings, outcome);
  for (const LamportRecords::Task& task : run_.stamps.tasks) {
    if (was_cut || parted_ || gave_way_ || !run_.is_whole) break;
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
