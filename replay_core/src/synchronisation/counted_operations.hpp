// Which steps of a replay are the operations that a log by time stamps counts.
#pragma once

#include <cstdint>
#include <unordered_map>

#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/sim_runtime/operation.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

#include "lamport_clocks.hpp"

namespace orrery::detail {

/// Of a simulated run all that have stamps; of one by real threads those that its recorder could
/// see.
class CountedOperations {
 public:
  explicit CountedOperations(const LamportRecords& records) : records_(records) {}
  void clear() {
    atomics_.clear();
    hosts_.clear();
  }

  /// Of real threads nobody has seen who starts the process.
  [[nodiscard]] bool counts(TaskId task, OperationKind kind, ObjectId object) {
    if (!records_.is_of_library) return has_stamp(kind);
    const bool is_seen = is_library_operation(kind) ||
                         (records_.has_atomics && is_atomic_operation(kind) && is_atomic(object));
    return task != TaskId{} && is_seen && !is_hosts(object);
  }

 private:
  /// Pipes are the system's on real cores; here they have locks.
  [[nodiscard]] bool is_hosts(ObjectId object) {
    if (object == ObjectId{}) return false;
    const auto [known, is_new] = hosts_.try_emplace(object.packed(), false);
    if (is_new) known->second = place_of(object).is_hosts;
    return known->second;
  }
  /// Plain accesses may be steps, too.
  [[nodiscard]] bool is_atomic(ObjectId object) {
    const auto [known, is_new] = atomics_.try_emplace(object.packed(), false);
    if (is_new) known->second = place_of(object).is_atomic;
    return known->second;
  }

  const LamportRecords& records_;
  std::unordered_map<std::uint64_t, bool> atomics_;  // by object
  std::unordered_map<std::uint64_t, bool> hosts_;    // by object
};

}  // namespace orrery::detail
