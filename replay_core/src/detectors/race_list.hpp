// Races as findings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "order/place_table.hpp"

namespace orrery::detail {

/// One of two accesses that race.
struct RacingAccess {
  TaskId task;
  PlaceNumber place = 0;
  bool writes = false;
};

/// What two accesses had in common: bytes of memory, or a variable.
struct RacedMemory {
  AddressRange bytes;
  ObjectId variable;
  static RacedMemory of(const MemoryAccess& access) {
    return {{access.address(), access.address() + access.size_bytes()}, {}};
  }
  static RacedMemory of(ObjectId variable) { return {{}, variable}; }
};

/// What people call memory of so many bytes: an address would differ from machine to machine.
[[nodiscard]] std::string memory_text(std::uint64_t size_bytes);

/// Collects the races of a run: one finding for each pair of places.
class RaceList {
 public:
  /// `class_name`: of its findings.
  explicit RaceList(std::string class_name = {}) : class_name_(std::move(class_name)) {}
  void begin_run(const Names* names);
  /// Is this pair of places still to be added?  Cheap, where a loop races a million times.
  [[nodiscard]] bool is_new(PlaceNumber now, PlaceNumber earlier) {
    return seen_.insert(std::minmax({now, earlier})).second;
  }
  /// Adds what races with what was accessed before, and where: bytes, or a variable.
  void add(std::string message, const RacingAccess& now, const RacingAccess& earlier,
           const PlaceTable& places, const RacedMemory& where);
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  /// One for each of them.
  [[nodiscard]] const std::vector<RaceAccesses>& races() const { return races_; }

 private:
  [[nodiscard]] FindingPlace place_of(const RacingAccess& access, const char* role,
                                      const PlaceTable& places) const;

  std::string class_name_;
  const Names* names_ = nullptr;
  std::set<std::pair<PlaceNumber, PlaceNumber>> seen_;
  std::vector<Finding> findings_;
  std::vector<RaceAccesses> races_;
};

}  // namespace orrery::detail
