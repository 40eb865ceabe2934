// One run, written down: every step that was taken, and every answer that was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery {

/// One thing that was decided in a run.  24 bytes, trivially copyable, without padding.
struct ScheduleEntry {
  enum class Type : std::uint8_t {
    step,    ///< the operation `id` took its turn, or its delivery, transfer or deadline did
    choice,  ///< the operation `id` asked a question of kind `choice` and got `chosen()`
    value,   ///< the operation `id` asked for a draw and got `value()`, or read this date off a
             ///< clock; a fault that did not strike is not written down
  };

  OperationId id;
  std::uint64_t content = 0;  ///< see the accessors
  Type type = Type::step;
  OperationKind operation = OperationKind::none;  ///< of a step
  ChoiceKind choice = ChoiceKind::step;           ///< of a question
  std::uint8_t unused = 0;
  std::uint32_t repeats = 0;  ///< of a clock that was read: how many more times it said the same

  static ScheduleEntry step(OperationId id, OperationKind kind, ObjectId object) {
    return {id, object.packed(), Type::step, kind, ChoiceKind::step};
  }
  static ScheduleEntry step(const Alternative& taken) {
    return step(taken.id, taken.kind, taken.object);
  }
  static ScheduleEntry question(ChoiceKind kind, OperationId asker, OperationId chosen) {
    return {asker, chosen.packed(), Type::choice, OperationKind::none, kind};
  }
  static ScheduleEntry draw(ChoiceKind kind, OperationId asker, std::uint64_t answer) {
    return {asker, answer, Type::value, OperationKind::none, kind};
  }

  /// Of a step: what the operation acts on.
  [[nodiscard]] constexpr ObjectId object() const {
    return {TaskId{static_cast<std::uint32_t>(content >> 32U)},
            static_cast<std::uint32_t>(content)};
  }
  /// Of a choice: the `Alternative::id` that was taken.
  [[nodiscard]] constexpr OperationId chosen() const {
    return {TaskId{static_cast<std::uint32_t>(content >> 32U)},
            static_cast<std::uint32_t>(content)};
  }
  /// Of a draw: the answer.
  [[nodiscard]] constexpr std::uint64_t value() const { return content; }

  [[nodiscard]] bool is_clock() const { return type == Type::value && choice == ChoiceKind::clock; }

  /// Is it the answer to this question?  An operation may ask about faults more than once, but
  /// never twice about the same kind.
  [[nodiscard]] bool answers(const ValueQuestion& question) const {
    const bool fits = type == Type::value && choice == question.kind && id == question.asker &&
                      admits_answer(question, value());
    if (!fits || choice != ChoiceKind::fault) return fits;
    return question.weights[static_cast<std::size_t>(value() - question.low)] != 0;
  }

  friend constexpr bool operator==(const ScheduleEntry&, const ScheduleEntry&) = default;
};
static_assert(sizeof(ScheduleEntry) == 24);

/// A run: the total order of all its steps, asked or not, and the answers to its other questions.
/// Since every step is in it, it means the same run under any seed, window and network.  A value.
struct Schedule {
  std::vector<ScheduleEntry> entries;
  /// More happened than the recorder had room for: the entries are the run's beginning.
  std::uint64_t entries_lost = 0;

  [[nodiscard]] std::uint64_t steps() const;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// A number that tells schedules apart: the same on every machine and build.
[[nodiscard]] std::uint64_t hash(std::span<const ScheduleEntry> entries);

/// The records of the method `choices`, in about a byte a step, and back.  Lossless.  Each
/// task's next operation is guessed from what followed the same operations before, in any task, so
/// that mostly only the task is written.  `where` names the source in errors; decoding throws
/// `UsageError` with the offset for bytes that were not made by `encode_schedule`.
[[nodiscard]] std::vector<std::byte> encode_schedule(const Schedule& schedule);
[[nodiscard]] Schedule decode_schedule(std::span<const std::byte> bytes,
                                       std::string_view where = "choices");

}  // namespace orrery
