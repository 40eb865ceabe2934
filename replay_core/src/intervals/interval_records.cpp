#include "interval_records.hpp"

#include <algorithm>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw UsageError(
      std::string("the records of the run do not go on where its image was saved: ") + what,
      "replay --interval", "record the run again");
}

template <typename Element>
void drop_first(std::vector<Element>& elements, std::size_t count, const char* what) {
  if (count > elements.size()) refuse(what);
  elements.erase(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(count));
}

// A run of failed polls may have begun before.
void drop_polls(OpenCalls& calls, const OpenCalls& before) {
  drop_first(calls.failed_polls, before.failed_polls.size(), "polls");
  std::uint64_t& failures =
      calls.failed_polls.empty() ? calls.last_failed_polls : calls.failed_polls.front();
  if (failures < before.last_failed_polls) refuse("failed polls");
  failures -= before.last_failed_polls;
}

void drop_sources(OpenCalls& calls, std::size_t count, std::span<const OpenReceive> open) {
  std::vector<std::int32_t> of_open;
  for (const OpenReceive& receive : open) {
    if (receive.receiver.task != calls.task) continue;
    if (receive.place >= count || count > calls.sources.size()) refuse("receives");
    of_open.push_back(calls.sources[receive.place]);
  }
  drop_first(calls.sources, count, "receives");
  calls.sources.insert(calls.sources.begin(), of_open.begin(), of_open.end());
}

const OpenCalls* calls_of(const MessageRecords& records, TaskId task) {
  const auto found = std::ranges::find(records.calls, task, &OpenCalls::task);
  return found == records.calls.end() ? nullptr : &*found;
}

}  // namespace

MessageRecords rest_of(const MessageRecords& whole, const MessageRecords& before,
                       std::span<const OpenReceive> open) {
  MessageRecords rest;
  rest.run_answers = whole.run_answers;
  for (OpenCalls calls : whole.calls) {
    if (const OpenCalls* const earlier = calls_of(before, calls.task)) {
      drop_sources(calls, earlier->sources.size(), open);
      drop_polls(calls, *earlier);
      drop_first(calls.selections, earlier->selections.size(), "choices among requests");
      drop_first(calls.cancellations, earlier->cancellations.size(), "cancellations");
    }
    rest.calls.push_back(std::move(calls));
  }
  // By task, and of each task in order: those that were given before come first.
  for (auto next = whole.answers.begin(); next != whole.answers.end();) {
    const TaskId task = next->asker.task;
    const auto is_of_task = [&](const Answer& answer) { return answer.asker.task == task; };
    const auto end = std::find_if_not(next, whole.answers.end(), is_of_task);
    const auto given = std::ranges::count_if(before.answers, is_of_task);
    if (given > end - next) refuse("answers");
    rest.answers.insert(rest.answers.end(), next + given, end);
    next = end;
  }
  return rest;
}

}  // namespace orrery::detail
