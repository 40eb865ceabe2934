// What tasks wait for, in words and as needs of a graph.
#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "deadlock_report.hpp"
#include "place_resolver.hpp"

namespace orrery::detail {
namespace {

/// So many are named where there may be thousands.
constexpr std::size_t names_max = 16;

bool is_nowhere(const SourceLocation* where) {
  return where == nullptr || (where->file == nullptr && where->program_counter == 0);
}

bool is_message(OperationKind kind) {
  return kind == OperationKind::receive || kind == OperationKind::probe;
}

}  // namespace

std::string listed(const std::vector<std::string>& texts, const char* separator) {
  const std::size_t shown = std::min(texts.size(), names_max);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : separator) + texts[i];
  if (shown < texts.size()) text += fmt::format("{}and {} more", separator, texts.size() - shown);
  return text;
}

void DeadlockReport::find_waiting() {
  by_process_.resize(machine_.processes_.size());
  for (std::size_t i = 0; i < machine_.tasks_used_; ++i) {
    const Task& task = machine_.tasks_[i];
    if (task.has_ended() || task.is_helper) continue;
    // Whoever started a program of several processes, and waits for it, is none of the program's.
    if (task.pending->kind == OperationKind::join && is_nowhere(task.pending->where)) continue;
    by_process_[task.process.value].push_back(waiting_.size());
    waiting_.push_back({&task, {}, {}, false});
  }
  for (Waiting& waiting : waiting_) describe(waiting);
}

void DeadlockReport::describe(Waiting& waiting) {
  const Task& task = *waiting.task;
  const char* function = nullptr;
  std::vector<Cause> causes = causes_of(task, function);
  const bool is_choice = task.select != nullptr && !is_message(task.pending->kind) &&
                         !static_cast<const SelectSpec*>(task.select)->all;
  std::vector<std::string> words;
  for (Cause& cause : causes) {
    waiting.is_of_messages = waiting.is_of_messages || cause.is_of_messages;
    if (!cause.words.empty()) words.push_back(std::move(cause.words));
    waiting.waiter.needs.push_back(std::move(cause.need));
  }
  waiting.waiter.one_is_enough = is_choice;
  const char* const first = is_choice && words.size() > 1 ? "one of " : "";
  const std::string in = function == nullptr ? "" : fmt::format("in {} ", function);
  waiting.words = fmt::format("waits {}for {}{}", in, first, listed(words, ", "));
}

OrreryWait DeadlockReport::wait_of(const Task& task) const {
  OrreryWait wait{};
  wait.rank = rank_of(task);
  wait.pc = task.pending->where == nullptr ? 0 : task.pending->where->program_counter;
  return wait;
}

void DeadlockReport::ask(OrreryWait& wait) const {
  if (const OrreryWaitTeller teller = machine_.messages_->wait_teller()) teller(&wait);
}

std::vector<DeadlockReport::Cause> DeadlockReport::causes_of(const Task& task,
                                                             const char*& function) const {
  const Operation& operation = *task.pending;
  OrreryWait wait = wait_of(task);
  std::vector<Cause> causes;
  if (is_message(operation.kind)) {
    wait.message.source = operation.peer;
    wait.message.tag = operation.tag;
    wait.message.context = static_cast<std::uint32_t>(operation.value);
    causes.push_back(receive_of(wait));
  } else if (task.select != nullptr) {
    for (const RequestHandle handle : static_cast<const SelectSpec*>(task.select)->requests) {
      if (handle == 0 || machine_.messages_->request(handle).complete) continue;
      wait = wait_of(task);
      causes.push_back(cause_of(handle, wait));
    }
  } else {
    causes = object_of(task);
    ask(wait);
  }
  function = wait.function;
  return causes;
}

DeadlockReport::Cause DeadlockReport::receive_of(OrreryWait& wait) const {
  ask(wait);
  const auto& [context, source, destination, tag, size_bytes, note] = wait.message;
  const bool is_from_any = source == any_source;
  const std::string who = is_from_any ? "any rank" : rank_words(source);
  const char* const comma = is_from_any || !by_rank(source).empty() ? "" : ",";
  Need need{is_from_any ? std::vector<std::size_t>{} : by_rank(source), is_from_any, false};
  if (wait.is_internal != 0) return {who, std::move(need)};
  const std::string which = tag == any_tag ? "any tag" : fmt::format("tag {}", tag);
  return {fmt::format("a message from {}{} with {}", who, comma, which), std::move(need)};
}

DeadlockReport::Cause DeadlockReport::cause_of(RequestHandle handle, OrreryWait& wait) const {
  const RequestState& request = machine_.messages_->request(handle);
  const MessagePattern& pattern = request.pattern;
  wait.request = handle;
  wait.message = {pattern.context, pattern.source, pattern.destination, pattern.tag, 0, 0};
  wait.is_call = request.call != nullptr ? 1 : 0;
  wait.could_buffer = request.could_buffer ? 1 : 0;
  if (request.is_receive) return receive_of(wait);
  if (request.is_event) {
    ask(wait);
    return event_of(request, wait);
  }
  if (const MessageState* const message = machine_.messages_->message_of(handle)) {
    wait.message.note = message->note;
    wait.call = request.message;
  }
  wait.is_send = request.call == nullptr ? 1 : 0;
  ask(wait);
  return request.call != nullptr ? call_of(wait, request.call) : send_of(wait);
}

DeadlockReport::Cause DeadlockReport::send_of(const OrreryWait& wait) const {
  const std::int32_t to = wait.message.destination;
  Need need{by_rank(to), false, wait.could_buffer != 0};
  if (wait.is_internal != 0) return {rank_words(to), std::move(need)};
  const char* const comma = by_rank(to).empty() ? "," : "";
  return {fmt::format("{}{} to receive its message with tag {}", rank_words(to), comma,
                      wait.message.tag),
          std::move(need)};
}

DeadlockReport::Cause DeadlockReport::call_of(const OrreryWait& wait, const char* name) const {
  Cause cause{fmt::format("rank {} to answer {}", wait.message.destination, name), {}};
  std::vector<std::string> holders;
  for (std::uint32_t i = 0; i < wait.holder_count; ++i) {
    holders.push_back(rank_words(wait.holders[i]));
    const auto& theirs = by_rank(wait.holders[i]);
    cause.need.from.insert(cause.need.from.end(), theirs.begin(), theirs.end());
  }
  cause.need.from_anybody = holders.empty();
  if (!holders.empty()) cause.words += fmt::format(", held by {}", listed(holders, " and "));
  return cause;
}

// What a helper does for the program: its own wait says why that does not come to an end.
DeadlockReport::Cause DeadlockReport::event_of(const RequestState& request,
                                               const OrreryWait& wait) const {
  const std::string what = wait.started_by == nullptr ? "an operation of its own"
                                                      : fmt::format("its {}", wait.started_by);
  for (std::size_t i = 0; i < machine_.tasks_used_; ++i) {
    const Task& helper = machine_.tasks_[i];
    if (helper.has_ended() || !helper.is_helper || rank_of(helper) != wait.rank) continue;
    const SourceLocation* const where = helper.pending->where;
    if (where == nullptr || where->program_counter != request.started_at.program_counter) continue;
    const char* function = nullptr;
    std::vector<Cause> causes = causes_of(helper, function);
    if (causes.size() != 1) continue;
    return {fmt::format("{}, which waits for {}", what, causes.front().words),
            std::move(causes.front().need)};
  }
  return {what, {{}, true, false}};
}

std::vector<DeadlockReport::Cause> DeadlockReport::object_of(const Task& task) const {
  const Operation& operation = *task.pending;
  if (operation.kind == OperationKind::join) {
    const TaskId other{static_cast<std::uint32_t>(operation.value)};
    return {{fmt::format("the end of {}", machine_.task(other)),
             {waiting_as(other), false, false},
             false}};
  }
  std::string words =
      fmt::format("{} ({})", machine_.object(operation.object), name(operation.kind));
  std::vector<Cause> causes;
  if (task.waits_on != nullptr) {
    for (const auto& holder : task.waits_on->holders()) {
      const auto at = machine_.place(holder.where);
      words += fmt::format(", held by {}", machine_.task(holder.task));
      const bool is_own = !at.file.empty() && !is_library_file(at.file);
      if (is_own) words += fmt::format(" since {}:{}", at.file, at.line);
      causes.push_back({{}, {waiting_as(holder.task), false, false}, false});
    }
  }
  if (causes.empty()) causes.push_back({{}, {{}, true, false}, false});
  causes.front().words = std::move(words);
  return causes;
}

const std::vector<std::size_t>& DeadlockReport::by_rank(std::int32_t rank) const {
  return by_process_[static_cast<std::size_t>(rank) + 1];
}

std::vector<std::size_t> DeadlockReport::waiting_as(TaskId task) const {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (waiting_[i].task->id == task) return {i};
  }
  return {};
}

std::string DeadlockReport::rank_words(std::int32_t rank) const {
  return fmt::format("rank {}{}", rank, by_rank(rank).empty() ? ", which has ended" : "");
}

}  // namespace orrery::detail
