// Which bytes the atomic operations of unchanged programs access.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

#include "order/object_table.hpp"

namespace orrery::detail {

/// Is it an atomic access, of whatever variable?
[[nodiscard]] inline bool is_atomic_access(const Event& event) {
  return event.order != MemoryOrder::plain &&
         (event.kind == OperationKind::read || event.kind == OperationKind::write ||
          event.kind == OperationKind::read_modify_write);
}

/// Looks each atomic up once.  With each goes what its owner keeps of it, made anew for a run.
template <typename Kept>
class AtomicObjects {
 public:
  struct Atomic {
    Address address = 0;  ///< 0: it is none of an unchanged program's memory
    bool is_known = false;
    Kept kept;
  };
  void clear() { atomics_.clear(); }
  Atomic& at(ObjectId object) {
    Atomic& atomic = atomics_.at(object);
    if (!atomic.is_known) {
      atomic.address = place_of(object).program_address;
      atomic.is_known = true;
    }
    return atomic;
  }

 private:
  ObjectTable<Atomic> atomics_;
};

/// The bytes of an atomic access at that address.
[[nodiscard]] inline MemoryAccess bytes_of(const Event& atomic, Address address) {
  const auto size_bytes = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(atomic.size_bytes, 1, MemoryAccess::size_bytes_max));
  const bool writes = atomic.kind != OperationKind::read;
  return {address, size_bytes, writes ? AccessKind::write : AccessKind::read,
          atomic.where != nullptr ? atomic.where->program_counter : 0};
}

/// Where nothing is kept.
class AtomicAccesses {
 public:
  void clear() { atomics_.clear(); }
  /// Nothing: the event is no atomic access, or none of an unchanged program's memory.
  [[nodiscard]] std::optional<MemoryAccess> of(const Event& event) {
    if (!is_atomic_access(event)) return std::nullopt;
    const Address address = atomics_.at(event.object).address;
    if (address == 0) return std::nullopt;
    return bytes_of(event, address);
  }

 private:
  struct Nothing {};
  AtomicObjects<Nothing> atomics_;
};

}  // namespace orrery::detail
