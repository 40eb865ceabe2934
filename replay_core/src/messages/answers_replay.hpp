// The answers that a log has for questions which are about no order: draws, clocks, and whom a
// notification wakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <orrery/replay_core/message_records.hpp>

#include "readings_replay.hpp"

namespace orrery::detail {

/// Gives them out again.  Askers are those of the log, and each task's come in order.
class AnswersReplay {
 public:
  /// The records must outlive the run.
  void begin(const MessageRecords& records);
  /// What the log has, else the undisturbed answer: that was not kept.
  [[nodiscard]] std::uint64_t answer(OperationId asker, const ValueQuestion& question);
  /// What was chosen; nothing: the undisturbed alternative.
  [[nodiscard]] std::optional<std::uint64_t> chosen(OperationId asker, ChoiceKind kind);

 private:
  /// Of a task, in `MessageRecords::answers`.
  struct Cursor {
    std::size_t next = 0;
    std::size_t end = 0;
  };
  template <typename IsIt>
  [[nodiscard]] std::optional<std::uint64_t> find(OperationId asker, const IsIt& is_it);

  const MessageRecords* records_ = nullptr;
  std::unordered_map<std::uint32_t, Cursor> cursors_;  // by task
  ReadingsReplay readings_;
};

}  // namespace orrery::detail
