// The tapes of a log, as a replay runs over them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/history_tapes.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/choice.hpp>

namespace orrery::detail {

/// Who started whom, as all methods that know tasks again by that have it.
[[nodiscard]] MessageRecords starters_of(std::span<const HistoryTape> tapes);

/// Where each task is on its tape, and the versions of the objects.
class TapeReader {
 public:
  /// What the tape says of a step that could be next.
  enum class Verdict : std::uint8_t {
    now,      ///< it may be done
    not_yet,  ///< others come first, or another way to end the same operation
    beyond,   ///< the recorded run has not come so far
    other     ///< the tape has something else: see `expected`
  };

  void begin(std::span<const HistoryTape> tapes);
  /// `task` is the log's, and the object of a send is the box of its process.  Texts that are
  /// written, and the machine's own steps, are not for this.
  [[nodiscard]] Verdict judge(TaskId task, const Alternative& step) const;
  /// The step was taken.
  void take(TaskId task, const Alternative& step);
  /// Whom the task's notification wakes; nothing: the tape does not say.
  std::optional<std::uint32_t> next_woken(TaskId task);

  /// Are there steps left on the tape?
  [[nodiscard]] bool has_steps(TaskId task) const;
  [[nodiscard]] bool has_ended(TaskId task) const;
  /// The next entry, if there is one, and the version of its object now, in words.
  [[nodiscard]] std::string expected(TaskId task) const;
  /// How many entries the task has behind it, and has in all.
  [[nodiscard]] std::size_t place(TaskId task) const;
  [[nodiscard]] std::size_t task_count() const { return tapes_.size(); }

 private:
  struct Head {
    std::size_t next = 0;  // of the entries
    std::uint32_t repeats = 0;
    std::uint32_t steps = 0;
    std::size_t woken = 0;
    OperationId last_step;
    bool has_sends = false;         // all that the task does are on its tape
    std::vector<ObjectId> objects;  // as the replay names them, by the task's own number
  };
  struct Object {
    std::uint32_t version = 0;
    std::uint32_t readers = 0;
  };

  [[nodiscard]] const TapeEntry* next_entry(TaskId task) const;
  /// The object of the entry that comes next, if the task has used it before.
  [[nodiscard]] const ObjectId* object_of(TaskId task, const TapeEntry& entry) const;
  [[nodiscard]] Object now(ObjectId object) const;
  [[nodiscard]] bool is_due(const TapeEntry& entry, ObjectId object) const;
  void count(const TapeEntry& entry, ObjectId object);
  [[nodiscard]] bool is_second(TaskId task, std::size_t index) const;

  std::span<const HistoryTape> tapes_;
  std::vector<Head> heads_;                            // by task
  std::unordered_map<std::uint64_t, Object> objects_;  // as the replay names them
};

}  // namespace orrery::detail
