// The tapes of a log, as a replay runs over them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <orrery/replay_core/history_tapes.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/choice.hpp>

#include "variable_keys.hpp"
#include "wide_accesses.hpp"

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

  /// Both must outlive the run.
  void begin(std::span<const HistoryTape> tapes, const PendingOperations* pending);
  /// `task` is the log's, and the object of a send is the box of its process.  Texts that are
  /// written, and the machine's own steps, are not for this.
  [[nodiscard]] Verdict judge(TaskId task, const Alternative& step);
  /// The step was taken.
  void take(TaskId task, const Alternative& step);
  /// Whom the task's notification wakes; nothing: the tape does not say.
  std::optional<std::uint32_t> next_woken(TaskId task);
  /// What lies there from now on are other objects.
  void forget(std::uint64_t address, std::uint64_t size_bytes) {
    forgotten_.forget(address, size_bytes);
  }
  /// Nothing else is to come: others come to what is half assigned.  False: nothing is.
  [[nodiscard]] bool lifts_a_wait() { return half_assigned_.lift(); }

  /// Are there steps left on the tape?
  [[nodiscard]] bool has_steps(TaskId task) const;
  [[nodiscard]] bool has_ended(TaskId task) const;
  /// The next entry, if there is one, and the version of its object now, in words.
  [[nodiscard]] std::string expected(TaskId task) const;
  /// How many entries the task has behind it, and has in all.
  [[nodiscard]] std::size_t place(TaskId task) const;
  [[nodiscard]] std::size_t task_count() const { return tapes_.size(); }

 private:
  using Known = VariableKeys::Known;
  /// An object of the replay, and where its versions are counted.
  struct Met {
    Known known;
    std::optional<std::size_t> state;  ///< nothing: nobody has come there yet
  };
  struct Head {
    std::size_t next = 0;  // of the entries
    std::uint32_t repeats = 0;
    std::uint32_t steps = 0;
    std::size_t woken = 0;
    OperationId last_step;
    bool has_sends = false;             // all that the task does are on its tape
    std::vector<Met> objects;           // as the replay has them, by the task's own number
    ByVariable<std::uint32_t> numbers;  // of these
  };
  struct Object {
    std::uint64_t version = 0;
    std::uint64_t readers = 0;
  };

  [[nodiscard]] const TapeEntry* next_entry(TaskId task) const;
  /// The object of the entry, if the task has used it before.
  [[nodiscard]] const Met* object_of(TaskId task, const TapeEntry& entry) const;
  /// How many entries the next step has.
  [[nodiscard]] std::size_t entries_of_step(TaskId task) const;
  /// What the step comes to by the n-th of these, counted from 0; null: the tape has another one.
  [[nodiscard]] std::optional<Met> met_by(TaskId task, const Alternative& step, std::size_t n);
  [[nodiscard]] Object now(const Met& object) const;
  [[nodiscard]] bool is_due(const TapeEntry& entry, const Met& object) const;
  /// The same object, whose versions are counted from now on.
  [[nodiscard]] Met counted(const Met& object);
  void count(const TapeEntry& entry, const Met& object);

  std::span<const HistoryTape> tapes_;
  std::vector<Head> heads_;  // by task
  std::vector<Object> objects_;
  ByVariable<std::size_t> states_;  // of these
  VariableKeys keys_;
  ForgottenMemory forgotten_;
  HalfAssigned half_assigned_;
};

}  // namespace orrery::detail
