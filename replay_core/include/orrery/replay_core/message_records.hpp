// What the methods that follow messages keep of a run: no order of steps, but what the open calls
// came to, and which receive took which message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/replay_core/open_calls.hpp>
#include <orrery/replay_core/rank_readings.hpp>
#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/ids.hpp>

namespace orrery {

/// A receive or a probe, and the message that it took or saw.  `event` counts the receives and
/// probes of its task from 0, in the order in which they began; polls that fail begin nothing.
/// No send, {0, 0}: a receive that was cancelled.
struct TracedMessage {
  TaskId receiver;
  std::uint64_t event = 0;
  OperationId send;
  friend bool operator==(const TracedMessage&, const TracedMessage&) = default;
};

/// The answer to a question that is about no message, where it was not the undisturbed one; and
/// each date that was read off a clock.
struct Answer {
  OperationId asker;
  ChoiceKind kind = ChoiceKind::value;
  std::uint64_t value = 0;
  friend bool operator==(const Answer&, const Answer&) = default;
};

/// The answer to a question that is asked once a run: `ValueQuestion::question` names it.
struct RunAnswer {
  std::uint64_t question = 0;
  std::uint64_t value = 0;
  friend bool operator==(const RunAnswer&, const RunAnswer&) = default;
};

/// A call of another rank (one-sided communication), answered in the process where it arrived
/// after so many operations of the first task there.
struct RemoteCall {
  OperationId send;                    ///< the call
  TaskId task;                         ///< the first one of the process where it arrived
  std::uint32_t after_operations = 0;  ///< of that task, finished or under way
  friend bool operator==(const RemoteCall&, const RemoteCall&) = default;
};

/// Everything that a method of this family keeps.  A value type.
struct MessageRecords {
  /// Who started each task that was not started by the first one together with all before it: of
  /// the task `first_started`, the next one, and so on.  In a replay the same tasks may come to be
  /// in another order: there a task is its starter's first, second, and so on.
  std::uint32_t first_started = 0;
  std::vector<TaskId> starters;
  std::vector<OpenCalls> calls;       ///< a task each, ascending
  std::vector<TracedMessage> traced;  ///< by task, then by event
  std::vector<Answer> answers;        ///< by asker
  std::vector<RunAnswer> run_answers;
  std::vector<RemoteCall> remote_calls;  ///< by task, then in order
  std::vector<RankReadings> readings;    ///< of a run on a real machine

  /// How many receives and probes are named.
  [[nodiscard]] std::uint64_t message_count() const;
  /// How much else there is: outcomes of open calls, answers, calls of other ranks.
  [[nodiscard]] std::uint64_t other_count() const;
  friend bool operator==(const MessageRecords&, const MessageRecords&) = default;
};

/// The contents of the blocks `traced_messages`, `answers` and `remote_calls`, and back.  `where`
/// names the source in errors; decoding throws `UsageError` with the offset.
[[nodiscard]] std::vector<std::byte> encode_traced_messages(std::span<const TracedMessage> traced);
[[nodiscard]] std::vector<TracedMessage> decode_traced_messages(std::span<const std::byte> bytes,
                                                                std::string_view where);
[[nodiscard]] std::vector<std::byte> encode_answers(const MessageRecords& records);
void decode_answers(std::span<const std::byte> bytes, std::string_view where,
                    MessageRecords& records);
[[nodiscard]] std::vector<std::byte> encode_remote_calls(std::span<const RemoteCall> calls);
[[nodiscard]] std::vector<RemoteCall> decode_remote_calls(std::span<const std::byte> bytes,
                                                          std::string_view where);

}  // namespace orrery
