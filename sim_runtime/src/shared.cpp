#include <orrery/sim_runtime/shared.hpp>
#include <orrery/sim_runtime/world.hpp>

#include "machine.hpp"

namespace orrery::detail {

VariableBase::VariableBase(World& world, const char* type, std::string_view name)
    : SynchronizationObject(world.machine(), type, name) {}

void VariableBase::set_value_place(const void* value, std::uint32_t size_bytes) const {
  machine_->newest_object().value_address = reinterpret_cast<std::uintptr_t>(value);
  machine_->newest_object().value_bytes = size_bytes;
}

void VariableBase::announce(OperationKind kind, MemoryOrder order, std::uint64_t value,
                            const SourceLocation& where) const {
  Operation operation;
  operation.kind = kind;
  operation.order = order;
  operation.value = value;
  announce(operation, where);
}

void VariableBase::announce(Operation access, const SourceLocation& where) const {
  access.object = id();
  access.where = &where;
  machine_->announce(access);
}

void VariableBase::accessed(OperationKind kind, MemoryOrder order, std::uint64_t value,
                            std::uint32_t size_bytes, const SourceLocation& where) const {
  if (machine_->is_unwinding() || !machine_->has_running()) return;
  if (!machine_->wants(kind)) return;
  Event event;
  event.id = machine_->running().current_id();
  event.kind = kind;
  event.order = order;
  event.object = id();
  event.payload_hash = value;
  event.size_bytes = size_bytes;
  event.where = &where;
  machine_->tell(event);
}

void VariableBase::loaded(MemoryOrder order, std::uint64_t value, std::uint32_t size_bytes,
                          const SourceLocation& where) const {
  if (machine_->is_unwinding() || !machine_->has_running()) return;
  accessed(OperationKind::read, order, value, size_bytes, where);
  if (machine_->running().repeats_load(id(), value)) machine_->poll_failed();
}

}  // namespace orrery::detail
