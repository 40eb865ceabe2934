// Which operations are accesses of shared variables, and which variables these are.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

namespace orrery::detail {

/// Does a step act on a variable: one that others can come to?  Steps on tasks (starts, ends,
/// joins) do not: who waits for an end comes after it anyhow.
[[nodiscard]] bool acts_on_variable(OperationKind kind);
/// Is it a read, which others may do at the same time?
[[nodiscard]] inline bool only_reads(OperationKind kind) {
  return kind == OperationKind::read;
}

/// What tells variables apart within a run, and where they lie.  What an unchanged program has in
/// one word of eight bytes is one variable, whatever it is used as: a futex is also an atomic.
class VariableKeys {
 public:
  struct Known {
    std::uint64_t key = 0;
    VariablePlace place;
  };
  void clear() { known_.clear(); }
  const Known& of(ObjectId object);
  /// The word of memory so many words behind that of a place.
  [[nodiscard]] static Known word_behind(const VariablePlace& place, std::uint64_t words);

 private:
  std::unordered_map<std::uint64_t, Known> known_;  // by object
};

/// Numbers the variables of a run that is recorded, and keeps who came to which first.
class VariableNumbers {
 public:
  void clear();
  /// The variable that a task comes to; it is new if nobody has come to it before.
  std::uint32_t come_to(TaskId task, ObjectId object) { return come_to(task, keys_.of(object)); }
  std::uint32_t come_to(TaskId task, const VariableKeys::Known& known);
  [[nodiscard]] const VariablePlace& place(ObjectId object) { return keys_.of(object).place; }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(numbers_.size()); }
  [[nodiscard]] std::vector<std::uint32_t> first_uses(TaskId task) const;

 private:
  struct Task {
    std::vector<std::uint32_t> first_uses;
    std::vector<bool> has_used;  // by variable
  };
  VariableKeys keys_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // by key
  std::vector<Task> tasks_;
};

/// Finds the variables of a log in a run that replays it.  Tasks are those of the log.
class RecordedVariables {
 public:
  /// The records must outlive the run.
  void begin(const AccessRecords& records);
  /// The variable that the task comes to; nothing: it is none that the log names.
  [[nodiscard]] std::optional<std::uint32_t> find(TaskId task, ObjectId object) {
    const std::vector<Found> found = find(task, object, 1);
    return found.empty() ? std::nullopt : std::optional(found.front().variable);
  }
  struct Found {
    std::uint32_t variable = 0;
    std::uint64_t key = 0;
    VariablePlace place;
  };
  /// The same of so many words, from the object's on; none if one of them has no name.
  [[nodiscard]] std::vector<Found> find(TaskId task, ObjectId object, std::uint64_t words);
  /// It has come to it.
  void come_to(TaskId task, const Found& found);
  [[nodiscard]] const VariablePlace& place(ObjectId object) { return keys_.of(object).place; }

 private:
  struct Task {
    const AccessRecords::Task* records = nullptr;
    std::unordered_map<std::uint64_t, std::uint32_t> used;  // variables by key
  };
  [[nodiscard]] std::optional<std::uint32_t> by_address(const VariablePlace& place) const;

  const AccessRecords* records_ = nullptr;
  VariableKeys keys_;
  std::vector<Task> tasks_;
};

}  // namespace orrery::detail
