// The fields of an entry: each learns by itself, in the writer as in the reader.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "log/bit_coder.hpp"
#include "schedule_prior.hpp"

namespace orrery::detail {

/// What is known of all fields so far.
struct FieldModels {
  static constexpr std::size_t who_contexts = 9;

  SymbolModel<5> who[who_contexts];  ///< by the number of tasks that have run
  SymbolModel<3> what[WhatContext::count];
  SymbolModel<2> where[operation_kinds_max];      ///< by the operation
  SymbolModel<6> operation[operation_kinds_max];  ///< by the task's operation before
  SymbolModel<4> question;
  BitModel clock_goes_on, clock_is_whole;
  NumberModel clock_change, clock_repeats{8};
  NumberModel entries, task, chosen_task, number, index, asker, answer;
  // These are nearly always as expected.
  NumberModel lost{100}, creator{6}, object{6};

  /// Before anything was read or written: as programs usually are.  Made once, since it takes as
  /// long as writing a long schedule.
  static const FieldModels& at_start() {
    static const FieldModels models = [] {
      FieldModels result;
      for (std::size_t i = 0; i < who_contexts; ++i) result.who[i] = usual_who(i);
      for (std::size_t i = 0; i < WhatContext::count; ++i) {
        result.what[i] = usual_what(WhatContext::of(i));
      }
      result.question = usual_question();
      for (std::size_t i = 0; i < operation_kinds_max; ++i) {
        result.where[i] = usual_where(static_cast<OperationKind>(i));
        result.operation[i] = usual_operation(static_cast<OperationKind>(i));
      }
      return result;
    }();
    return models;
  }
};

/// What both directions code with.  A decoder ignores the values that it is given.
template <typename Coder>
class Fields {
 public:
  explicit Fields(Coder& coder) : coder_(coder) {}
  std::uint32_t who(std::size_t tasks_known, std::uint32_t value) {
    return models_.who[std::min(tasks_known, FieldModels::who_contexts - 1)].code(coder_, value);
  }
  What what(const WhatContext& context, What value) {
    return static_cast<What>(
        models_.what[context.index()].code(coder_, static_cast<std::uint32_t>(value)));
  }
  Where where(OperationKind kind, Where value) {
    return static_cast<Where>(models_.where[static_cast<std::size_t>(kind)].code(
        coder_, static_cast<std::uint32_t>(value)));
  }
  std::uint32_t operation(OperationKind before, std::uint32_t kind) {
    return models_.operation[static_cast<std::size_t>(before)].code(coder_, kind);
  }
  std::uint32_t question(std::uint32_t kind) { return models_.question.code(coder_, kind); }
  std::uint64_t entries(std::uint64_t value) { return models_.entries.code(coder_, value); }
  std::uint64_t lost(std::uint64_t value) { return models_.lost.code(coder_, value); }
  std::uint64_t task(std::uint64_t value) { return models_.task.code(coder_, value); }
  std::uint64_t chosen_task(std::uint64_t value) { return models_.chosen_task.code(coder_, value); }
  std::uint64_t number(std::uint64_t value) { return models_.number.code(coder_, value); }
  std::uint64_t index(std::uint64_t value) { return models_.index.code(coder_, value); }
  std::uint64_t creator(std::uint64_t value) { return models_.creator.code(coder_, value); }
  std::uint64_t object(std::uint64_t value) { return models_.object.code(coder_, value); }
  std::uint64_t asker(std::uint64_t value) { return models_.asker.code(coder_, value); }
  /// Since the task read a clock, it has gone on by as much as before.
  bool clock_goes_on(bool value) { return coder_.bit(models_.clock_goes_on, value); }
  /// The change is in ticks.
  bool clock_is_whole(bool value) { return coder_.bit(models_.clock_is_whole, value); }
  std::uint64_t clock_change(std::uint64_t value) {
    return models_.clock_change.code(coder_, value);
  }
  std::uint64_t clock_repeats(std::uint64_t value) {
    return models_.clock_repeats.code(coder_, value);
  }
  std::uint64_t answer(std::uint64_t value) { return models_.answer.code(coder_, value); }

 private:
  Coder& coder_;
  FieldModels models_ = FieldModels::at_start();
};

}  // namespace orrery::detail
