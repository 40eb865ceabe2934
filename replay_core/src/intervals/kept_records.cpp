#include "kept_records.hpp"

#include <algorithm>
#include <utility>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {
namespace {

template <typename Element>
std::vector<Element> from(const std::vector<Element>& all, std::size_t first) {
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.end()};
}

/// Those that name their sender.
std::vector<TracedMessage> traced_of(const std::vector<Withdrawal>& withdrawn) {
  std::vector<TracedMessage> traced;
  for (const auto& [receiver, place] : withdrawn) {
    if (place) traced.push_back({receiver.task, *place, {}});
  }
  std::ranges::sort(traced, [](const TracedMessage& a, const TracedMessage& b) {
    return a.receiver != b.receiver ? a.receiver < b.receiver : a.event < b.event;
  });
  return traced;
}

void write_blob(ByteWriter& writer, std::span<const std::byte> bytes) {
  writer.varint(bytes.size());
  writer.bytes(bytes);
}

}  // namespace

void KeptRecords::clear(const Names* names) {
  *this = {};
  keeper_.clear(names);
}

void KeptRecords::on_task(TaskId task, std::span<const TaskId> predecessors) {
  starters_.resize(std::max<std::size_t>(starters_.size(), std::size_t{task.value} + 1));
  starters_[task.value] = predecessors.empty() ? TaskId{} : predecessors.front();
}

// As SourceRecorder does it.
void KeptRecords::on_matching(const MatchingStep& step) {
  using Kind = MatchingStep::Kind;
  keeper_.on_matching(step);
  if (step.kind == Kind::sent) return;
  if (step.source != any_source) return on_named(step);
  if (step.kind == Kind::posted || step.kind == Kind::seen) begun_.pass(step.receiver);
  std::vector<std::int32_t>& sources = keeper_.calls_of(step.receiver.task).sources;
  if (step.kind == Kind::posted) {
    open_[step.receiver] = sources.size();
    sources.push_back(OpenCalls::nobody);
  } else if (step.kind == Kind::seen) {
    sources.push_back(keeper_.tasks().rank_of(step.send.task));
  } else if (const auto found = open_.find(step.receiver); found != open_.end()) {
    if (step.kind == Kind::taken) sources[found->second] = keeper_.tasks().rank_of(step.send.task);
    if (step.kind == Kind::withdrawn) withdrawn_.push_back({step.receiver, std::nullopt});
    open_.erase(found);
  }
}

void KeptRecords::on_named(const MatchingStep& step) {
  using Kind = MatchingStep::Kind;
  if (step.kind == Kind::posted) return begun_.begin(step.receiver);
  if (step.kind == Kind::seen) return begun_.pass(step.receiver);
  if (step.kind == Kind::withdrawn) {
    withdrawn_.push_back({step.receiver, begun_.place_of(step.receiver)});
  }
  begun_.end(step.receiver);
}

std::uint32_t KeptRecords::first_started() const {
  std::size_t first = 0;
  while (first < starters_.size() && starters_[first] == TaskId{}) ++first;
  return static_cast<std::uint32_t>(first);
}

MessageRecords KeptRecords::records() const {
  MessageRecords records = keeper_.records();
  records.first_started = first_started();
  records.starters = from(starters_, records.first_started);
  records.traced = traced_of(withdrawn_);
  return records;
}

std::vector<OpenReceive> KeptRecords::open_receives() const {
  std::vector<OpenReceive> receives;
  for (const auto& [receiver, place] : open_) receives.push_back({receiver, place});
  return receives;
}

bool KeptRecords::take_new_calls(TaskId task, std::size_t settled, std::vector<OpenCalls>& calls,
                                 std::vector<std::size_t>& places) {
  const OpenCalls& all = keeper_.calls_of(task);
  Written& written = written_[task.value];
  const bool is_old = written.sources == all.sources.size() &&
                      written.failed_polls == all.failed_polls.size() &&
                      written.last_failed_polls == all.last_failed_polls &&
                      written.selections == all.selections.size() &&
                      written.cancellations == all.cancellations.size();
  if (is_old) return false;
  OpenCalls added;
  added.task = task;
  added.sources = from(all.sources, written.sources);
  added.failed_polls = from(all.failed_polls, written.failed_polls);
  added.last_failed_polls = all.last_failed_polls;
  added.selections = from(all.selections, written.selections);
  added.cancellations = from(all.cancellations, written.cancellations);
  calls.push_back(std::move(added));
  places.push_back(written.sources);
  written = {std::min(settled, all.sources.size()),
             all.failed_polls.size(),
             all.last_failed_polls,
             all.selections.size(),
             all.cancellations.size(),
             written.answers};
  return true;
}

void KeptRecords::write_new(ByteWriter& writer) {
  writer.varint(starters_.size() - starters_written_);
  for (; starters_written_ < starters_.size(); ++starters_written_) {
    writer.varint(starters_[starters_written_].value);
  }
  written_.resize(starters_.size());
  // What comes behind a receive without a message is written again, once that has one.
  std::vector<std::size_t> settled(starters_.size(), ~std::size_t{0});
  for (const auto& [receiver, place] : open_) {
    std::size_t& first = settled[receiver.task.value];
    first = std::min(first, place);
  }
  std::vector<OpenCalls> calls;
  std::vector<std::size_t> places;
  MessageRecords answers;
  answers.run_answers = from(keeper_.run_answers(), run_answers_written_);
  run_answers_written_ = keeper_.run_answers().size();
  for (std::uint32_t task = 0; task < starters_.size(); ++task) {
    take_new_calls(TaskId{task}, settled[task], calls, places);
    const std::vector<Answer>& given = keeper_.answers_of(TaskId{task});
    const auto first = static_cast<std::ptrdiff_t>(written_[task].answers);
    answers.answers.insert(answers.answers.end(), given.begin() + first, given.end());
    written_[task].answers = given.size();
  }
  writer.varint(calls.size());
  for (const std::size_t place : places) writer.varint(place);
  if (!calls.empty()) write_blob(writer, encode_open_calls(calls));
  const bool has_answers = !answers.answers.empty() || !answers.run_answers.empty();
  writer.u8(has_answers ? 1 : 0);
  if (has_answers) write_blob(writer, encode_answers(answers));
  writer.varint(withdrawn_.size() - withdrawn_written_);
  for (; withdrawn_written_ < withdrawn_.size(); ++withdrawn_written_) {
    const auto& [receiver, place] = withdrawn_[withdrawn_written_];
    writer.varint(receiver.task.value);
    writer.varint(receiver.number);
    writer.varint(place ? *place + 1 : 0);
  }
}

// --- put together again -------------------------------------------------------------------------

void AppendedRecords::append(ByteReader& reader, std::string_view where) {
  for (std::size_t i = reader.count(); i > 0; --i) starters_.push_back(TaskId{reader.varint32()});
  std::vector<std::size_t> places(reader.count());
  for (std::size_t& place : places) place = static_cast<std::size_t>(reader.varint());
  if (!places.empty()) {
    const std::string blob = reader.text();
    const auto added = decode_open_calls(std::as_bytes(std::span(blob)), where);
    if (added.size() != places.size()) reader.fail("records of other tasks");
    for (std::size_t i = 0; i < added.size(); ++i) {
      const OpenCalls& later = added[i];
      if (later.task.value >= starters_.size()) reader.fail("a task that never began");
      if (later.task.value >= calls_.size()) calls_.resize(std::size_t{later.task.value} + 1);
      OpenCalls& own = calls_[later.task.value];
      own.task = later.task;
      if (places[i] > own.sources.size()) reader.fail("a gap in the sources of receives");
      own.sources.resize(places[i]);
      own.sources.insert(own.sources.end(), later.sources.begin(), later.sources.end());
      own.failed_polls.insert(own.failed_polls.end(), later.failed_polls.begin(),
                              later.failed_polls.end());
      own.last_failed_polls = later.last_failed_polls;
      own.selections.insert(own.selections.end(), later.selections.begin(), later.selections.end());
      own.cancellations.insert(own.cancellations.end(), later.cancellations.begin(),
                               later.cancellations.end());
    }
  }
  if (reader.u8() != 0) {
    const std::string blob = reader.text();
    MessageRecords added;
    decode_answers(std::as_bytes(std::span(blob)), where, added);
    answers_.insert(answers_.end(), added.answers.begin(), added.answers.end());
    run_answers_.insert(run_answers_.end(), added.run_answers.begin(), added.run_answers.end());
  }
  for (std::size_t i = reader.count(3); i > 0; --i) {
    Withdrawal& withdrawal = withdrawn_.emplace_back();
    withdrawal.receiver.task = TaskId{reader.varint32()};
    withdrawal.receiver.number = reader.varint32();
    if (const std::uint64_t place = reader.varint(); place != 0) withdrawal.place = place - 1;
  }
}

MessageRecords AppendedRecords::records() const {
  MessageRecords records;
  while (records.first_started < starters_.size() && starters_[records.first_started] == TaskId{}) {
    ++records.first_started;
  }
  records.starters = from(starters_, records.first_started);
  for (const OpenCalls& calls : calls_) {
    if (!calls.is_empty()) records.calls.push_back(calls);
  }
  records.answers = answers_;
  std::ranges::stable_sort(records.answers, {},
                           [](const Answer& answer) { return answer.asker.task; });
  records.run_answers = run_answers_;
  records.traced = traced_of(withdrawn_);
  return records;
}

std::vector<OperationId> AppendedRecords::withdrawn() const {
  std::vector<OperationId> all;
  for (const Withdrawal& withdrawal : withdrawn_) all.push_back(withdrawal.receiver);
  std::ranges::sort(all);
  return all;
}

}  // namespace orrery::detail
