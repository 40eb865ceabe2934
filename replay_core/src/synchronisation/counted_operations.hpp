// Which steps of a replay are the operations that a log by time stamps counts.
#pragma once

#include <array>
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
    recent_ = {};
    all_.clear();
  }

  /// Of real threads nobody has seen who starts the process.
  [[nodiscard]] bool counts(TaskId task, OperationKind kind, ObjectId object) {
    if (!records_.is_of_library) return has_stamp(kind);
    const bool is_seen = is_library_operation(kind) ||
                         (records_.has_atomics && is_atomic_operation(kind) && is_atomic(object));
    return task != TaskId{} && is_seen && !is_hosts(object);
  }

 private:
  struct Known {
    std::uint64_t object = 0;
    bool is_atomic = false;  ///< plain accesses may be steps, too
    bool is_hosts = false;   ///< pipes are the system's on real cores; here they have locks
  };
  [[nodiscard]] bool is_hosts(ObjectId object) {
    return object != ObjectId{} && known(object).is_hosts;
  }
  [[nodiscard]] bool is_atomic(ObjectId object) { return known(object).is_atomic; }

  /// Asked twice a step: those that were asked for last lie where no table need be searched.
  [[nodiscard]] const Known& known(ObjectId object) {
    const std::uint64_t packed = object.packed();
    Known& recent = recent_[(packed ^ packed >> 32U) % recent_.size()];
    if (recent.object != packed) recent = look_up(object);
    return recent;
  }
  [[nodiscard]] const Known& look_up(ObjectId object) {
    const auto [known, is_new] = all_.try_emplace(object.packed());
    if (is_new) {
      const VariablePlace place = place_of(object);
      known->second = {object.packed(), place.is_atomic, place.is_hosts};
    }
    return known->second;
  }

  const LamportRecords& records_;
  std::array<Known, 1024> recent_{};              // by the low bits of the object; 0: none
  std::unordered_map<std::uint64_t, Known> all_;  // by object
};

}  // namespace orrery::detail
