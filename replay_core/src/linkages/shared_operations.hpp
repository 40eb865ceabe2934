// Which operations are accesses of shared variables, and which variables these are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/sim_runtime/choice.hpp>

#include "lone_words.hpp"
#include "synchronisation/variable_keys.hpp"

namespace orrery::detail {

/// Does a step act on a variable: one that others can come to?  Steps on tasks (starts, ends,
/// joins) do not: who waits for an end comes after it anyhow.
[[nodiscard]] bool acts_on_variable(OperationKind kind);
/// Is it a read, which others may do at the same time?
[[nodiscard]] inline bool only_reads(OperationKind kind) {
  return kind == OperationKind::read;
}

/// Numbers the variables of a run that is recorded, and keeps who came to which first.
class VariableNumbers {
 public:
  void clear();
  /// A block of memory has been handed out.
  void forget(std::uint64_t address, std::uint64_t size_bytes) {
    forgotten_.forget(address, size_bytes);
  }
  /// The variable that a task comes to; it is new if nobody has come to it before.
  std::uint32_t come_to(TaskId task, ObjectId object, OperationKind kind);
  std::uint32_t come_to(TaskId task, const VariableKeys::Known& known);
  [[nodiscard]] const VariablePlace& place(ObjectId object) { return keys_.of(object).place; }
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(keys_used_.size());
  }
  [[nodiscard]] std::vector<std::uint32_t> first_uses(TaskId task) const;

 private:
  struct Task {
    std::vector<std::uint32_t> first_uses;
    std::vector<bool> has_used;  // by variable
  };
  /// The last variable there that the task has used.
  [[nodiscard]] std::optional<std::uint32_t> last_used(TaskId task,
                                                       const VariableKeys::Known& known) const;
  [[nodiscard]] bool has_used(TaskId task, std::uint32_t variable) const;

  VariableKeys keys_;
  ByVariable<std::uint32_t> numbers_;
  std::vector<std::uint64_t> keys_used_;  // by variable
  ForgottenMemory forgotten_;
  std::vector<Task> tasks_;
};

/// Finds the variables of a log in a run that replays it.  Tasks are those of the log.
class RecordedVariables {
 public:
  /// The records must outlive the run.
  void begin(const AccessRecords& records);
  struct Found {
    std::uint32_t variable = 0;
    std::uint64_t key = 0;
    VariablePlace place;
    bool is_used = false;  ///< by the task, before, or needs no first use
  };
  /// The variables that the task comes to with an operation on so many words, from the object's on;
  /// none if one of them is none that the log names.
  [[nodiscard]] std::vector<Found> find(TaskId task, OperationKind kind, ObjectId object,
                                        std::uint64_t words);
  /// It has come to it.
  void come_to(TaskId task, const Found& found);
  [[nodiscard]] const VariablePlace& place(ObjectId object) { return keys_.of(object).place; }

  /// A block of memory has been handed out.
  void forget(std::uint64_t address, std::uint64_t size_bytes) {
    // What has a name keeps it.
    if (!records_->named.has(address)) forgotten_.forget(address, size_bytes);
  }

  /// Whether a task is still to come to a variable by its order is asked here.
  void set_turns(std::function<bool(TaskId, std::uint32_t)> has_turn_left) {
    has_turn_left_ = std::move(has_turn_left);
  }

  // Of memory that real threads used (`AccessRecords::is_of_memory`)

  /// Whose stack an address of the replay lies in is asked here.
  void set_stacks(std::function<std::optional<StackPlace>(std::uint64_t)> place_of) {
    stack_place_ = std::move(place_of);
  }
  /// The task has come to a word of its own.  Another task that did so before: it is none.
  [[nodiscard]] std::optional<TaskId> met_at_own(TaskId task, const VariablePlace& place);

 private:
  struct Task {
    const AccessRecords::Task* records = nullptr;
    ByVariable<std::uint32_t> used;
    std::size_t uses = 0;  // first ones
  };
  [[nodiscard]] std::optional<std::uint32_t> by_address(std::uint64_t address) const;
  [[nodiscard]] std::optional<std::uint32_t> without_use(
      const VariablePlace& place, std::optional<std::uint32_t> next_use) const;
  [[nodiscard]] std::optional<std::uint32_t> on_stack(const VariablePlace& place,
                                                      std::optional<std::uint32_t> next_use) const;
  [[nodiscard]] std::optional<std::uint32_t> used_by(TaskId task, OperationKind kind,
                                                     const VariableKeys::Known& known) const;
  Task& own(TaskId task);

  const AccessRecords* records_ = nullptr;
  VariableKeys keys_;
  std::vector<Task> tasks_;
  std::function<bool(TaskId, std::uint32_t)> has_turn_left_;
  std::function<std::optional<StackPlace>(std::uint64_t)> stack_place_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t>
      stack_words_;  // by task and place
  ForgottenMemory forgotten_;
  LoneWords lone_words_;
};

}  // namespace orrery::detail
