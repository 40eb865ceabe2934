#include "message_replayer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <orrery/sim_runtime/names.hpp>

#include "partings.hpp"
#include "schedules/alternatives.hpp"

namespace orrery::detail {
MessageReplayer::MessageReplayer(const SavedRun& run, Chooser& fallback, ReplayMode mode)
    : records_(run.messages),
      findings_(run.findings),
      is_whole_(run.is_whole),
      fallback_(fallback),
      mode_(mode) {}

void MessageReplayer::begin_run(const RunInfo& info) {
  names_ = info.names;
  cursors_.clear();
  ranks_ = {};
  beyond_ = 0;
  gave_way_ = false;
  parted_.reset();
  for (const OpenCalls& calls : records_.calls) cursor(calls.task).calls = &calls;
  for (std::size_t i = 0; i < records_.remote_calls.size(); ++i) {
    Cursor& own = cursor(records_.remote_calls[i].task);
    if (own.remote_calls_end == 0) own.remote_call = i;
    own.remote_calls_end = i + 1;
  }
  tasks_.begin(records_);
  answers_.begin(records_);
  begin_replay();
  fallback_.begin_run(info);
}

MessageReplayer::Cursor& MessageReplayer::cursor(TaskId task) {
  return cursors_[task.value];
}

// --- admission ----------------------------------------------------------------------------------

bool MessageReplayer::admits(const Alternative& alternative) {
  if (parted_) return mode_ == ReplayMode::best_effort;
  if (gave_way_) return true;
  const OperationId id = tasks_.of(alternative.id);
  if (is_step(alternative)) return admits_step(id, alternative.kind);
  return admits_match(id, tasks_.of(alternative.asker));
}

bool MessageReplayer::admits_step(OperationId id, OperationKind kind) {
  if (kind == OperationKind::deliver) return admits_remote_call(id);
  if (is_machine_step(kind)) return true;
  const Cursor& own = cursor(id.task);
  if (own.timed == id) return (kind == OperationKind::timeout) == own.times_out;
  // Calls that were answered before this operation come before it.
  const bool has_calls = own.remote_call < own.remote_calls_end;
  return !has_calls || id.number <= records_.remote_calls[own.remote_call].after_operations;
}

bool MessageReplayer::admits_remote_call(OperationId call) {
  const std::optional<TaskId> target = ranks_.target_of(call);
  if (!target) return true;
  const Cursor& own = cursor(*target);
  if (own.remote_call >= own.remote_calls_end) {
    return goes_beyond(call.task, "a one-sided operation");
  }
  const RemoteCall& next = records_.remote_calls[own.remote_call];
  return next.send == call && next.after_operations <= own.operations;
}

void MessageReplayer::took(const Alternative& alternative) {
  const OperationId id = tasks_.of(alternative.id);
  if (alternative.kind == OperationKind::deliver) {
    const std::optional<TaskId> target = ranks_.end_call(id);
    if (!target) return;
    Cursor& own = cursor(*target);
    if (own.remote_call < own.remote_calls_end) ++own.remote_call;
    return;
  }
  if (is_machine_step(alternative.kind)) return;
  Cursor& own = cursor(id.task);
  own.operations = id.number;
  if (own.timed == id) own.timed = {};
}

void MessageReplayer::on_matching(const MatchingStep& step) {
  MatchingStep recorded = step;
  recorded.send = tasks_.of(step.send);
  recorded.receiver = tasks_.of(step.receiver);
  ranks_.on_matching(recorded);
  on_message(recorded);
}

// --- open calls ---------------------------------------------------------------------------------

const OpenOutcome* MessageReplayer::expects(OperationId id, const Operation& operation) {
  const OperationId recorded = tasks_.of(id);
  if (parted_ || gave_way_ || !RecordedTasks::is_known(recorded.task)) return nullptr;
  outcome_ = {};
  return expect(recorded, operation);
}

const OpenOutcome* MessageReplayer::expect(OperationId id, const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::receive:
      if (operation.deadline != VirtualTime::never()) {
        const std::optional<bool> succeeds = next_poll(id.task);
        if (!succeeds) return nullptr;
        cursor(id.task).timed = id;
        cursor(id.task).times_out = !*succeeds;
        if (!*succeeds) return nullptr;
      }
      [[fallthrough]];
    case OperationKind::post_receive:
    case OperationKind::probe: begin_receive(id, operation); return nullptr;
    case OperationKind::try_probe:
    case OperationKind::test: return expect_poll(id, operation);
    case OperationKind::wait:
    case OperationKind::select: return expect_selection(id, operation);
    case OperationKind::cancel: {
      Cursor& own = cursor(id.task);
      const bool has_more =
          own.calls != nullptr && own.cancellation < own.calls->cancellations.size();
      if (!has_more) {
        goes_beyond(id.task, "a cancellation");
        return nullptr;
      }
      outcome_.succeeded = own.calls->cancellations[own.cancellation++];
      return &outcome_;
    }
    default: return nullptr;
  }
}

std::optional<bool> MessageReplayer::next_poll(TaskId task) {
  Cursor& own = cursor(task);
  const bool has_success = own.calls != nullptr && own.poll < own.calls->failed_polls.size();
  const std::uint64_t failures = has_success            ? own.calls->failed_polls[own.poll]
                                 : own.calls != nullptr ? own.calls->last_failed_polls
                                                        : 0;
  if (own.failed_polls < failures) {
    ++own.failed_polls;
    return false;
  }
  if (!has_success) {
    goes_beyond(task, "a poll");
    return std::nullopt;
  }
  own.failed_polls = 0;
  ++own.poll;
  return true;
}

const OpenOutcome* MessageReplayer::expect_poll(OperationId id, const Operation& operation) {
  const std::optional<bool> succeeds = next_poll(id.task);
  if (!succeeds) return nullptr;
  outcome_.succeeded = *succeeds;
  if (!*succeeds) return &outcome_;
  if (operation.kind == OperationKind::try_probe) begin_receive(id, operation);
  if (operation.kind == OperationKind::test && operation.value > 1) {
    return expect_selection(id, operation);
  }
  static constexpr std::uint32_t only_one[] = {0};
  if (operation.kind == OperationKind::test && operation.value == 1) outcome_.reported = only_one;
  return &outcome_;
}

const OpenOutcome* MessageReplayer::expect_selection(OperationId id, const Operation& operation) {
  Cursor& own = cursor(id.task);
  if (own.calls == nullptr || own.selection >= own.calls->selections.size()) {
    goes_beyond(id.task, "a choice among requests");
    return nullptr;
  }
  const OpenCalls::Selection& selection = own.calls->selections[own.selection++];
  if (selection.among != operation.value) {
    part(id.task, fmt::format("a choice among {} requests", selection.among),
         fmt::format("one among {}", operation.value));
    return nullptr;
  }
  if (operation.deadline != VirtualTime::never()) {
    own.timed = id;
    own.times_out = selection.reported.empty();
    if (own.times_out) return nullptr;
  }
  outcome_.succeeded = true;
  outcome_.reported = selection.reported;
  return &outcome_;
}

std::uint64_t MessageReplayer::choose_value(const ValueQuestion& question) {
  if (question.kind == ChoiceKind::jitter) return fallback_.choose_value(question);
  return answers_.answer(tasks_.of(question.asker), question);
}

// --- partings -----------------------------------------------------------------------------------

bool MessageReplayer::goes_beyond(TaskId task, std::string_view what) {
  ++beyond_;
  // Where a rank has ended the recorded run, the others were cut off.
  if (!is_whole_ || gave_way_ || was_ended_by_a_rank()) return true;
  part(task, "no more", std::string(what));
  return mode_ == ReplayMode::best_effort;
}

bool MessageReplayer::was_ended_by_a_rank() const {
  if (findings_.empty()) return false;
  const FindingKind kind = findings_.front().kind;
  return kind == FindingKind::crash || kind == FindingKind::exit ||
         kind == FindingKind::assertion || kind == FindingKind::exception;
}

void MessageReplayer::part(TaskId task, std::string_view expected, std::string_view came) {
  if (!parted_) parted_ = parting_in(names_->task(tasks_.here(task)), expected, came);
}

std::string MessageReplayer::left_of(TaskId task) const {
  std::string left = what_is_left(task);
  const auto found = cursors_.find(task.value);
  if (!left.empty() || found == cursors_.end() || found->second.calls == nullptr) return left;
  const Cursor& own = found->second;
  if (own.poll < own.calls->failed_polls.size()) return "a poll that succeeds";
  if (own.selection < own.calls->selections.size()) return "a choice among requests";
  return {};
}

bool MessageReplayer::gives_way(const PendingOperations& pending) {
  if (gave_way_ || parted_) return false;
  if (!is_whole_) {
    // What the cut log names next may lie behind what it no longer has.
    gave_way_ = true;
    ++beyond_;
    return true;
  }
  for (std::uint32_t i = 0; i < pending.task_count(); ++i) {
    if (pending.state(TaskId{i}) == TaskState::ended) continue;
    const TaskId task = tasks_.of(TaskId{i});
    const std::string left = left_of(task);
    if (left.empty()) continue;
    part(
        task, left,
        fmt::format("{}, which waits for something else", name(pending.operation(TaskId{i}).kind)));
    return mode_ == ReplayMode::best_effort;
  }
  return false;  // the recorded run may have ended so, too
}

std::string MessageReplayer::explain_divergence(const PendingOperations&) {
  if (mode_ == ReplayMode::best_effort || !parted_) return {};
  return parted_->message;
}

void MessageReplayer::end_run(const Outcome& outcome) {
  // What ended the recorded run, too, may have come before others had gone as far as there.
  const bool was_cut = outcome.limit != Limit::none ||
                       outcome.status == Outcome::Status::abandoned ||
                       has_died_again(findings_, outcome);
  std::vector<TaskId> tasks;
  for (const OpenCalls& calls : records_.calls) tasks.push_back(calls.task);
  for (const TracedMessage& message : records_.traced) {  // by task
    if (tasks.empty() || tasks.back() != message.receiver) tasks.push_back(message.receiver);
  }
  for (const TaskId task : tasks) {
    if (was_cut || parted_ || gave_way_ || !is_whole_) break;
    const std::string left = left_of(task);
    if (left.empty()) continue;
    part(task, left,
         outcome.findings.empty() ? "the end of the program"
                                  : "the end of the run: " + outcome.findings.front().message);
  }
  fallback_.end_run(outcome);
}

Outcome MessageReplayer::judge(Outcome outcome) const {
  return judge_replay(std::move(outcome), parted_, mode_);
}

}  // namespace orrery::detail
