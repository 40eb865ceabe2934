#include "instant_replay_replayer.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <orrery/replay_core/saved_run.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "instant_replay_numbers.hpp"
#include "instant_replay_tapes.hpp"
#include "lamport_replayer.hpp"
#include "messages/racing_replayer.hpp"
#include "messages/recorded_tasks.hpp"
#include "object_accesses.hpp"
#include "partings.hpp"
#include "process_ends.hpp"
#include "schedules/alternatives.hpp"

namespace orrery::detail {
namespace {

/// Chooses and watches for two: for itself, and for the replayer of messages, which gets tasks and
/// operations by their numbers in the log.
class InstantReplayer final : public Replayer, private Chooser, private Observer {
 public:
  InstantReplayer(const SavedRun& run, Chooser& fallback, ReplayMode mode)
      : run_(run), mode_(mode), messages_(make_racing_replayer(run, fallback, mode)) {}

  [[nodiscard]] Chooser& chooser() override { return *this; }
  [[nodiscard]] Observer* observer() override { return this; }
  [[nodiscard]] const std::optional<Parting>& parted() const override {
    return parted_ ? parted_ : messages_->parted();
  }
  [[nodiscard]] std::uint64_t steps_beyond() const override {
    return beyond_ + messages_->steps_beyond();
  }
  [[nodiscard]] Outcome judge(Outcome outcome) const override;

 private:
  // Chooser
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& alternative) override;
  void took(const Alternative& alternative) override;
  const OpenOutcome* expects(OperationId id, const Operation& operation) override;
  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override;
  bool gives_way(const PendingOperations& pending) override;
  [[nodiscard]] std::string explain_divergence(const PendingOperations& pending) override;
  void end_run(const Outcome& outcome) override;
  // Observer
  [[nodiscard]] EventMask interest() const override {
    return EventMask::matching() | EventMask::tasks() | EventMask::allocations();
  }
  void on_allocated(TaskId /*task*/, Address address, std::uint64_t size_bytes) override {
    tapes_.forget(address, size_bytes);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    tapes_.forget(address, size_bytes);
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    tasks_.on_task(task, predecessors);
  }
  void on_matching(const MatchingStep& step) override;

  [[nodiscard]] OperationId logged(OperationId id) const {
    const OperationId numbered = numbers_.of(id);
    return {tasks_.of(id.task), numbered.number};
  }
  [[nodiscard]] Alternative logged(Alternative alternative) const {
    alternative.id = logged(alternative.id);
    alternative.asker = logged(alternative.asker);
    return alternative;
  }
  /// As its tape has it.
  [[nodiscard]] Alternative taped(Alternative step) const;
  bool admits_step(const Alternative& step);
  [[nodiscard]] bool is_timeout_of_messages(const Alternative& step) const;
  /// `task` is the replay's.
  void part(TaskId task, std::string_view expected, std::string_view came);
  [[nodiscard]] std::string describe(const Alternative& step) const;
  [[nodiscard]] bool follows() const { return !parted() && !gave_way_; }

  const SavedRun& run_;
  ReplayMode mode_;
  std::unique_ptr<Replayer> messages_;
  const Names* names_ = nullptr;
  RecordedTasks tasks_;
  NumbersWithoutOutput numbers_;
  TapeReader tapes_;
  ProcessEnds process_ends_;
  std::unordered_map<std::uint32_t, OperationId> of_messages_;  // by task: the last one of these
  std::uint64_t beyond_ = 0;
  bool gave_way_ = false;
  std::optional<Parting> parted_;
};

void InstantReplayer::begin_run(const RunInfo& info) {
  names_ = info.names;
  process_ends_.begin(info);
  tasks_.begin(starters_of(run_.tapes));
  tapes_.begin(run_.tapes, info.pending);
  numbers_.clear();
  of_messages_.clear();
  beyond_ = 0;
  gave_way_ = false;
  parted_.reset();
  messages_->chooser().begin_run(info);
}

// --- admission ----------------------------------------------------------------------------------

bool InstantReplayer::admits(const Alternative& alternative) {
  if (parted()) return mode_ == ReplayMode::best_effort;
  if (!messages_->chooser().admits(logged(alternative))) return false;
  if (gave_way_ || !is_step(alternative) || is_machine_step(alternative.kind)) return true;
  return admits_step(alternative);
}

bool InstantReplayer::is_timeout_of_messages(const Alternative& step) const {
  if (step.kind != OperationKind::timeout) return false;
  const auto last = of_messages_.find(step.id.task.value);
  return last != of_messages_.end() && last->second == step.id;
}

Alternative InstantReplayer::taped(Alternative step) const {
  if (step.kind == OperationKind::send) step.object = outbox_of(names_->process(step.id.task));
  // What the tape says of timeouts is about others.
  if (is_timeout_of_messages(step)) step.kind = OperationKind::receive;
  return step;
}

bool InstantReplayer::admits_step(const Alternative& step) {
  if (step.kind == OperationKind::output) return true;
  const auto has_more = [this](TaskId other) { return tapes_.has_steps(tasks_.of(other)); };
  if (ends_process(step.kind) && !process_ends_.may_come(step.id.task, has_more)) return false;
  const TaskId task = tasks_.of(step.id.task);
  using Verdict = TapeReader::Verdict;
  switch (tapes_.judge(task, taped(step))) {
    case Verdict::now: return true;
    case Verdict::not_yet:
    case Verdict::beyond: return false;
    case Verdict::other: part(step.id.task, tapes_.expected(task), describe(step));
  }
  return mode_ == ReplayMode::best_effort;
}

void InstantReplayer::took(const Alternative& alternative) {
  messages_->chooser().took(logged(alternative));
  if (is_machine_step(alternative.kind)) return;
  if (alternative.kind != OperationKind::output && follows()) {
    tapes_.take(tasks_.of(alternative.id.task), taped(alternative));
  }
  if (gave_way_) ++beyond_;
  numbers_.note(alternative);
}

const OpenOutcome* InstantReplayer::expects(OperationId id, const Operation& operation) {
  of_messages_[id.task.value] = id;
  return gave_way_ ? nullptr : messages_->chooser().expects(logged(id), operation);
}

void InstantReplayer::on_matching(const MatchingStep& step) {
  MatchingStep own = step;
  own.send = logged(step.send);
  own.receiver = logged(step.receiver);
  messages_->observer()->on_matching(own);
}

// --- answers ------------------------------------------------------------------------------------

Decision InstantReplayer::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::waiter && follows()) {
    const auto woken = tapes_.next_woken(tasks_.of(point.asker.task));
    if (woken && *woken < point.alternatives.size()) return Decision::take(*woken);
    part(point.asker.task, woken ? "a notification with more sleepers" : "no more notifications",
         fmt::format("one with {} sleepers", point.alternatives.size()));
    if (mode_ == ReplayMode::strict) return Decision::abandon();
  }
  return messages_->chooser().choose(point);
}

std::uint64_t InstantReplayer::choose_value(const ValueQuestion& question) {
  ValueQuestion own = question;
  own.asker = logged(question.asker);
  return messages_->chooser().choose_value(own);
}

// --- partings -----------------------------------------------------------------------------------

std::string InstantReplayer::describe(const Alternative& step) const {
  std::string text = fmt::format("{}", name(step.kind));
  if (step.object != ObjectId{}) text += fmt::format(" on {}", names_->object(step.object));
  return text;
}

void InstantReplayer::part(TaskId task, std::string_view expected, std::string_view came) {
  if (parted()) return;
  parted_ = parting_in(names_->task(task), expected, came);
  parted_->entry = tapes_.place(tasks_.of(task));
}

/// Nothing that may be done is to come.  Who is not yet where the recorded run had it parts from
/// the log; if nobody is, the run goes on from where the recorded one was cut.
bool InstantReplayer::gives_way(const PendingOperations& pending) {
  if (!follows()) return false;
  if (tapes_.lifts_a_wait()) return true;
  if (messages_->chooser().gives_way(pending)) {
    gave_way_ = true;
    return true;
  }
  if (parted()) return false;
  std::optional<TaskId> stuck;
  bool has_beyond = false;
  for (std::uint32_t i = 0; i < pending.task_count(); ++i) {
    const TaskState state = pending.state(TaskId{i});
    if (state == TaskState::ended) continue;
    const TaskId task = tasks_.of(TaskId{i});
    const bool waits = state == TaskState::disabled;
    if (tapes_.has_steps(task) || (tapes_.has_ended(task) && !waits)) {
      if (!stuck || !waits) stuck = TaskId{i};
    } else if (!waits) {
      has_beyond = true;
    }
  }
  if (stuck && run_.is_whole) {
    part(*stuck, tapes_.expected(tasks_.of(*stuck)),
         fmt::format("{}, whose turn does not come", name(pending.operation(*stuck).kind)));
    return mode_ == ReplayMode::best_effort;
  }
  gave_way_ = has_beyond || stuck;
  return gave_way_;
}

std::string InstantReplayer::explain_divergence(const PendingOperations& pending) {
  if (!parted_) return messages_->chooser().explain_divergence(pending);
  return mode_ == ReplayMode::best_effort ? std::string() : parted_->message;
}

void InstantReplayer::end_run(const Outcome& outcome) {
  messages_->chooser().end_run(outcome);
  // What ended the recorded run, too, may have come before others had gone as far as there.
  const bool died_again = !run_.findings.empty() && !outcome.findings.empty() &&
                          outcome.findings.front().kind == run_.findings.front().kind;
  const bool was_cut =
      outcome.limit != Limit::none || outcome.status == Outcome::Status::abandoned || died_again;
  if (was_cut || !follows() || !run_.is_whole) return;
  for (std::uint32_t i = 0; i < tapes_.task_count(); ++i) {
    if (!tapes_.has_steps(TaskId{i})) continue;
    part(tasks_.here(TaskId{i}), tapes_.expected(TaskId{i}),
         outcome.findings.empty() ? "the end of the program"
                                  : "the end of the run: " + outcome.findings.front().message);
    return;
  }
}

Outcome InstantReplayer::judge(Outcome outcome) const {
  if (!parted_) return messages_->judge(std::move(outcome));
  return judge_replay(std::move(outcome), parted_, mode_);
}

}  // namespace

std::unique_ptr<Replayer> make_instant_replayer(const SavedRun& run, Chooser& fallback,
                                                ReplayMode mode) {
  // Of real threads.
  if (run.stamps.has_versions) return make_lamport_replayer(run, fallback, mode);
  return std::make_unique<InstantReplayer>(run, fallback, mode);
}

}  // namespace orrery::detail
