#include "message_recorder.hpp"

#include <algorithm>

namespace orrery::detail {
namespace {

/// Do the records name operations of tasks that were started later?
bool names_others(const MessageRecords& records) {
  const auto is_other = [&](TaskId task) { return task.value >= records.first_started; };
  return std::ranges::any_of(records.traced,
                             [&](const TracedMessage& message) {
                               return is_other(message.receiver) || is_other(message.send.task);
                             }) ||
         std::ranges::any_of(records.answers,
                             [&](const Answer& answer) { return is_other(answer.asker.task); }) ||
         std::ranges::any_of(records.remote_calls,
                             [&](const RemoteCall& call) { return is_other(call.send.task); });
}

}  // namespace

void MessageRecorder::begin_run(const RunInfo& info) {
  keeper_.clear(info.names);
  starters_.clear();
  messages_ = receives_ = 0;
  begin_records();
}

void MessageRecorder::on_matching(const MatchingStep& step) {
  keeper_.on_matching(step);
  if (step.is_call) return;
  if (step.kind == MatchingStep::Kind::sent) ++messages_;
  if (step.kind == MatchingStep::Kind::taken) ++receives_;
  on_message(step);
}

void MessageRecorder::on_event(const Event& event) {
  if (own_interest().has(event.kind)) on_completion(event);
  if (keeper_interest_.has(event.kind)) keeper_.on_event(event);
}

std::vector<RecordedBlock> MessageRecorder::blocks() const {
  MessageRecords records = keeper_.records();
  add_records(records);
  starters_.add_to(records);
  std::vector<RecordedBlock> blocks;
  if (!records.calls.empty()) {
    blocks.push_back({BlockKind::open_calls, encode_open_calls(records.calls)});
  }
  if (!records.traced.empty()) {
    blocks.push_back({BlockKind::traced_messages, encode_traced_messages(records.traced)});
  }
  // Only tasks of which something is kept need to be known again.
  const bool has_others = std::ranges::any_of(records.calls, [&](const OpenCalls& calls) {
    return calls.task.value >= records.first_started;
  });
  if (!has_others && !names_others(records)) records.starters.clear();
  if (!records.answers.empty() || !records.run_answers.empty() || !records.starters.empty()) {
    blocks.push_back({BlockKind::answers, encode_answers(records)});
  }
  if (!records.remote_calls.empty()) {
    blocks.push_back({BlockKind::remote_calls, encode_remote_calls(records.remote_calls)});
  }
  return blocks;
}

std::vector<std::pair<std::string_view, std::uint64_t>> MessageRecorder::counts() const {
  MessageRecords records = keeper_.records();
  add_records(records);
  std::vector<std::pair<std::string_view, std::uint64_t>> counts{
      {"messages", messages_},
      {"receives", receives_},
      {"kept", records.message_count()},
      {"other_outcomes", records.other_count()}};
  add_counts(counts);
  if (const auto bytes = timestamp_bytes()) counts.emplace_back("timestamp_bytes", *bytes);
  return counts;
}

}  // namespace orrery::detail
