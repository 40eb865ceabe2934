// What programs usually do: where the models of a schedule's fields begin.
//
// Most schedules are short, and would cost more to learn from than to write.  The numbers are
// weights: only their ratios count, and each schedule soon unlearns what is not true of it.  They
// are part of the log format: a change needs another version.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <orrery/sim_runtime/operation.hpp>

namespace orrery::detail {

/// Who an entry is about: a place in the order of the tasks that ran last, or one of these.
inline constexpr std::uint32_t who_named = 30;  ///< the task's number follows
inline constexpr std::uint32_t who_new = 31;    ///< the lowest task that has not been seen yet

/// What an entry says.
enum class What : std::uint8_t {
  as_after_two = 0,  ///< the operation that followed the task's last two before
  as_after_one,      ///< or its last one
  operation,         ///< kind and object follow
  numbered,          ///< a step whose number is not the next one: number, kind and object follow
  delivery,          ///< of the task's oldest send that is on its way
  choice,
  draw,
  none,  ///< not in use
};

/// What is known of a task before an entry of its is read, for `What`.
struct WhatContext {
  bool is_new = true;  ///< the task has not done anything yet
  bool ran_last = false;
  bool has_after_two = false;
  bool has_after_one = false;  ///< and it is another one
  bool has_delivery = false;

  static constexpr std::size_t count = 17;
  [[nodiscard]] constexpr std::size_t index() const {
    if (is_new) return 0;
    return 1U + (has_after_two ? 1U : 0U) + (has_after_one ? 2U : 0U) + (has_delivery ? 4U : 0U) +
           (ran_last ? 8U : 0U);
  }
  static WhatContext of(std::size_t index);
};

/// Which object an operation acts on.
enum class Where : std::uint8_t { nothing = 0, as_before, known, fresh };

inline constexpr std::size_t operation_kinds_max = 64;
/// So many can be written; more than there are, so that a new kind needs no new version.
inline constexpr std::size_t operation_kinds_foreseen = 56;
static_assert(static_cast<std::size_t>(OperationKind::count_) <= operation_kinds_foreseen);

using WhoWeights = std::array<std::uint32_t, 32>;
using WhatWeights = std::array<std::uint32_t, 8>;
using WhereWeights = std::array<std::uint32_t, 4>;
using QuestionWeights = std::array<std::uint32_t, 16>;
using OperationWeights = std::array<std::uint32_t, operation_kinds_max>;

/// Among so many tasks that have run.
[[nodiscard]] WhoWeights usual_who(std::size_t tasks_known);
[[nodiscard]] WhatWeights usual_what(const WhatContext& context);
[[nodiscard]] WhereWeights usual_where(OperationKind kind);
/// By `ChoiceKind`; with room for more kinds than there are.
[[nodiscard]] QuestionWeights usual_question();
/// A task's operation that follows one of the kind `before`; none: its first.
[[nodiscard]] OperationWeights usual_operation(OperationKind before);

}  // namespace orrery::detail
