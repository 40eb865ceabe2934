#include "program_accesses.hpp"

#include <memory>
#include <span>

#include <orrery_hooks.h>

#include <orrery/sim_runtime/shared.hpp>

#include "machine.hpp"

namespace orrery::detail {

/// A variable of the program, which holds its value itself.
class ProgramVariable final : public VariableBase {
 public:
  ProgramVariable(World& world, const char* type, std::uintptr_t address)
      : VariableBase(world, type, {}) {
    set_value_place(reinterpret_cast<const void*>(address / word_bytes * word_bytes), word_bytes);
  }
  static constexpr std::uintptr_t word_bytes = 8;
  using VariableBase::accessed;
  using VariableBase::announce;
  using VariableBase::loaded;
};

namespace {

OperationKind kind_of(OrreryAtomicAccess access) {
  switch (access) {
    case ORRERY_ATOMIC_READ: return OperationKind::read;
    case ORRERY_ATOMIC_WRITE: return OperationKind::write;
    default: return OperationKind::read_modify_write;
  }
}

// The compilers' numbers, from __ATOMIC_RELAXED on.
MemoryOrder order_of(std::int32_t order) {
  constexpr auto first = static_cast<std::int32_t>(MemoryOrder::relaxed);
  constexpr auto last = static_cast<std::int32_t>(MemoryOrder::seq_cst);
  const std::int32_t number = order + first;
  return number < first || number > last ? MemoryOrder::seq_cst : static_cast<MemoryOrder>(number);
}

}  // namespace

void ProgramAccesses::reset() {
  atomics_.clear();
  variables_.clear();
  freeing_places_.clear();
  last_free_ = 0;
  keep_words(0, 0);
  free_count_ = 0;
}

void ProgramAccesses::begin(std::uintptr_t address, std::uint64_t bytes) {
  constexpr std::uintptr_t word_bytes = ProgramVariable::word_bytes;
  const std::uint64_t words = (address + bytes - 1) / word_bytes - address / word_bytes + 1;
  machine_->running().access_words = static_cast<std::uint32_t>(words);
  machine_->running().access_begin = address;
}

std::uint64_t ProgramAccesses::words(TaskId task) const {
  return machine_->task_at(task).access_words;
}

ProgramVariable& ProgramAccesses::atomic(void* address) {
  return atomics_.at<ProgramVariable>(address, [&] {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    return std::make_unique<ProgramVariable>(machine_->world(), "atomic", place);
  });
}

// One for each eight bytes: what lies so near to each other is taken for one.
ProgramVariable& ProgramAccesses::variable(std::uintptr_t address) {
  const std::uintptr_t word = address / ProgramVariable::word_bytes * ProgramVariable::word_bytes;
  return variables_.at<ProgramVariable>(reinterpret_cast<const void*>(word), [&] {
    return std::make_unique<ProgramVariable>(machine_->world(), "variable", word);
  });
}

void ProgramAccesses::begin_atomic(void* address, OrreryAtomicAccess access, std::int32_t order,
                                   std::uint64_t value, std::uintptr_t pc) {
  atomic(address).announce(kind_of(access), order_of(order), value, SourceLocation::at(pc));
}

bool ProgramAccesses::atomic_alone(void* address, OrreryAtomicAccess access, std::uint64_t seen) {
  if (!machine_->is_alone()) return false;
  const auto* const variable = atomics_.find<ProgramVariable>(address);
  if (variable == nullptr) return false;
  Task& task = machine_->running();
  const bool only_reads = access == ORRERY_ATOMIC_READ;
  if (only_reads && !task.has_room_for_loads()) return false;
  machine_->step_alone();
  if (only_reads && task.repeats_load(variable->id(), seen)) machine_->poll_failed();
  return true;
}

void ProgramAccesses::end_atomic(void* address, OrreryAtomicAccess access, std::int32_t order,
                                 std::uint64_t value, std::uint32_t size_bytes, std::uintptr_t pc) {
  machine_->running().access_words = 0;
  const ProgramVariable& variable = atomic(address);
  const SourceLocation where = SourceLocation::at(pc);
  if (access == ORRERY_ATOMIC_READ) {
    variable.loaded(order_of(order), value, size_bytes, where);
  } else {
    variable.accessed(kind_of(access), order_of(order), value, size_bytes, where);
  }
}

void ProgramAccesses::begin_access(std::uintptr_t address, std::uint32_t access,
                                   std::uintptr_t pc) {
  const std::uint32_t plain = access & ~std::uint32_t{ORRERY_PLAIN_UNSHARED};
  Operation operation;
  operation.kind = plain == ORRERY_PLAIN_WRITE ? OperationKind::write : OperationKind::read;
  operation.is_source_of_write = plain == ORRERY_PLAIN_READ_FOR_WRITE;
  operation.is_unshared = plain != access;
  variable(address).announce(operation, SourceLocation::at(pc));
  machine_->running().access_words = 0;
}

void ProgramAccesses::tell(const OrreryAccess* accesses, std::size_t count) {
  static_assert(sizeof(MemoryAccess) == sizeof(OrreryAccess) &&
                    ORRERY_ACCESS_SIZE_MAX == MemoryAccess::size_bytes_max,
                "the same two words");
  const TaskId task = machine_->running().id;
  // Not copied: nobody looks at them as the ones and as the others, and most calls tell of a few.
  const std::span<const MemoryAccess> all(reinterpret_cast<const MemoryAccess*>(accesses), count);
  machine_->for_each_access_observer([&](Observer& observer) { observer.on_accesses(task, all); });
}

}  // namespace orrery::detail
