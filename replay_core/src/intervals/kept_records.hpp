// The records of the method `wildcards`, kept so that what is new can be written again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <orrery/replay_core/intervals.hpp>
#include <orrery/replay_core/message_records.hpp>

#include "log/byte_cursor.hpp"
#include "messages/begun_receives.hpp"
#include "messages/open_outcome_keeper.hpp"

namespace orrery::detail {

/// A receive that was cancelled in time.
struct Withdrawal {
  OperationId receiver;
  /// Among the receives and probes of its task, as `TracedMessage::event`; nothing: it is one for
  /// any source, of which `OpenCalls` tell.
  std::optional<std::uint64_t> place;
};

/// Its owner, an observer, hands everything on.
class KeptRecords {
 public:
  void clear(const Names* names);
  void on_task(TaskId task, std::span<const TaskId> predecessors);
  void on_matching(const MatchingStep& step);
  /// Tasks that have come to be.
  [[nodiscard]] std::uint32_t task_count() const {
    return static_cast<std::uint32_t>(starters_.size());
  }
  [[nodiscard]] OpenOutcomeKeeper& keeper() { return keeper_; }
  [[nodiscard]] const OpenOutcomeKeeper& keeper() const { return keeper_; }

  /// All so far.
  [[nodiscard]] MessageRecords records() const;
  [[nodiscard]] std::vector<OpenReceive> open_receives() const;
  /// What is new since the last call, for `AppendedRecords`.
  void write_new(ByteWriter& writer);

 private:
  /// How much of a task's records is written.
  struct Written {
    std::size_t sources = 0;  ///< up to the first that might still change
    std::size_t failed_polls = 0;
    std::uint64_t last_failed_polls = 0;
    std::size_t selections = 0;
    std::size_t cancellations = 0;
    std::size_t answers = 0;
  };

  void on_named(const MatchingStep& step);
  [[nodiscard]] std::uint32_t first_started() const;
  bool take_new_calls(TaskId task, std::size_t settled, std::vector<OpenCalls>& calls,
                      std::vector<std::size_t>& places);

  OpenOutcomeKeeper keeper_;
  std::vector<std::int32_t> ranks_;          // by task that has sent or received
  std::vector<TaskId> starters_;             // by task
  std::map<OperationId, std::size_t> open_;  // receives without a message: their places
  OpenReceives begun_;                       // that name their source; the others are counted
  std::vector<Withdrawal> withdrawn_;        // as they came
  std::vector<Written> written_;             // by task
  std::size_t starters_written_ = 0;
  std::size_t run_answers_written_ = 0;
  std::size_t withdrawn_written_ = 0;
};

/// Puts together what `KeptRecords` has written piece by piece.
class AppendedRecords {
 public:
  void append(ByteReader& reader, std::string_view where);
  /// All of it.
  [[nodiscard]] MessageRecords records() const;
  /// Receives that were cancelled, ascending.
  [[nodiscard]] std::vector<OperationId> withdrawn() const;

 private:
  std::vector<OpenCalls> calls_;  // by task
  std::vector<Answer> answers_;
  std::vector<RunAnswer> run_answers_;
  std::vector<TaskId> starters_;  // by task, of all
  std::vector<Withdrawal> withdrawn_;
};

}  // namespace orrery::detail
