#include "wide_accesses.hpp"

#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/replay_core/memory_spool.hpp>

namespace orrery::detail {

std::optional<WideAccess> wide_access(TaskId task, OperationKind kind, const VariablePlace& place) {
  if (place.program_address == 0 || !is_atomic_operation(kind)) return std::nullopt;
  const std::uint64_t words = access_words_of(task);
  if (words < 2) return std::nullopt;
  return WideAccess{place, words, kind == OperationKind::read};
}

void HalfAssigned::begin(const PendingOperations* pending) {
  pending_ = pending;
  places_.clear();
}

void HalfAssigned::steps(TaskId task) {
  std::erase_if(places_, [task](const Place& place) { return place.task == task; });
}

void HalfAssigned::writes(TaskId task, std::uint64_t words, std::uint64_t unit,
                          std::uint64_t turns_before) {
  const bool may_assign = words > 1 && words <= memory_spool::assigned_words_max;
  if (may_assign) places_.push_back({task, unit, turns_before});
}

std::optional<std::uint64_t> HalfAssigned::by_others(TaskId task, std::uint64_t unit) const {
  for (const Place& place : places_) {
    if (place.unit == unit && place.task != task &&
        pending_->operation(place.task).is_source_of_write) {
      return place.turns_before;
    }
  }
  return std::nullopt;
}

bool HalfAssigned::lift() {
  const bool was_any = !places_.empty();
  places_.clear();
  return was_any;
}

}  // namespace orrery::detail
