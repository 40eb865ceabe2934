// Which bytes the atomic operations of unchanged programs access.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include <orrery/sim_runtime/observer.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

namespace orrery::detail {

/// Looks each atomic up once.
class AtomicAccesses {
 public:
  void clear() { addresses_.clear(); }
  /// Nothing: the event is no atomic access, or none of an unchanged program's memory.
  [[nodiscard]] std::optional<MemoryAccess> of(const Event& event) {
    const bool is_atomic =
        event.order != MemoryOrder::plain &&
        (event.kind == OperationKind::read || event.kind == OperationKind::write ||
         event.kind == OperationKind::read_modify_write);
    if (!is_atomic) return std::nullopt;
    const auto [found, is_new] = addresses_.try_emplace(event.object.packed());
    if (is_new) found->second = place_of(event.object).program_address;
    if (found->second == 0) return std::nullopt;
    const auto size_bytes = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(event.size_bytes, 1, MemoryAccess::size_bytes_max));
    const bool writes = event.kind != OperationKind::read;
    return MemoryAccess(found->second, size_bytes, writes ? AccessKind::write : AccessKind::read,
                        event.where != nullptr ? event.where->program_counter : 0);
  }

 private:
  std::unordered_map<std::uint64_t, Address> addresses_;  ///< by object; 0: it has none
};

}  // namespace orrery::detail
