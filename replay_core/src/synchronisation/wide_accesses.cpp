#include "wide_accesses.hpp"

#include <utility>

#include <orrery/replay_core/memory_spool.hpp>

namespace orrery::detail {
namespace {

/// How many words of memory so many bytes lie in.
std::uint64_t words_of(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t word_bytes = memory_spool::word_bytes;
  return bytes == 0 ? 0 : (address + bytes - 1) / word_bytes - address / word_bytes + 1;
}

}  // namespace

void LastAccess::steps(TaskId task, OperationKind kind, const VariablePlace& place) {
  const bool is_read = kind == OperationKind::read;
  last_.reset();
  if ((is_read || kind == OperationKind::write) && place.program_address != 0) {
    last_ = Step{task, place, is_read};
  }
}

/// The first one told behind a step is its own; it is not done yet.
std::optional<LastAccess::Further> LastAccess::told(TaskId task, const MemoryAccess& access) {
  const auto last = std::exchange(last_, std::nullopt);
  if (!last || last->task != task) return std::nullopt;
  constexpr std::uint64_t word_bytes = memory_spool::word_bytes;
  const std::uint64_t first = access.address() / word_bytes;
  const std::uint64_t words = words_of(access.address(), access.size_bytes());
  const bool is_read = access.kind() == AccessKind::read;
  const bool is_it = first == last->place.value_address / word_bytes && is_read == last->is_read;
  if (!is_it || words < 2) return std::nullopt;
  return Further{last->place, words, is_read};
}

std::optional<LastAccess::Further> further_words_of_atomic(TaskId task, OperationKind kind,
                                                           const VariablePlace& place) {
  if (!place.is_atomic) return std::nullopt;
  const std::uint64_t words = words_of(place.program_address, atomic_bytes_of(task));
  if (words < 2) return std::nullopt;
  return LastAccess::Further{place, words, kind == OperationKind::read};
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
