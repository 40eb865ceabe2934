// What a task remembers of shared variables, so that less has to be written down of its reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <orrery/replay_core/access_records.hpp>

namespace orrery::detail {

/// Recorder and replay both keep one of each task, so that they agree.  See
/// `AccessRecords::Value` and `Bound` for the rules.
class ReaderMemory {
 public:
  /// What comes now belongs to another operation than what came before.
  void begin_operation() { learnt_.clear(); }
  /// Is what a read with this bound has read the last write before it, whatever its value?  What
  /// the task has learnt by another word of the same operation came behind both.
  [[nodiscard]] bool is_exact(std::uint32_t group, std::uint64_t bound) const {
    return bound % 2 == 0 && known(group) == bound &&
           std::ranges::find(learnt_, group) == learnt_.end();
  }
  /// The version of the group that the task knows of; at first there are no writes.
  [[nodiscard]] std::uint64_t known(std::uint32_t group) const {
    const auto found = versions_.find(group);
    return found == versions_.end() ? 0 : found->second;
  }
  /// The task has seen this version of the group.
  void know(std::uint32_t group, std::uint64_t version) { versions_[group] = version; }
  /// The same by a read, whose bound may be late.
  void know_by_read(std::uint32_t group, std::uint64_t version) {
    if (known(group) != version) learnt_.push_back(group);
    know(group, version);
  }
  /// What a read of that slot probably gives.
  [[nodiscard]] std::uint64_t foretold(std::uint64_t slot) const {
    const auto found = values_.find(slot);
    return found == values_.end() ? 0 : found->second;
  }
  void keep(std::uint64_t slot, std::uint64_t value) { values_[slot] = value; }

 private:
  std::unordered_map<std::uint32_t, std::uint64_t> versions_;  // by group
  std::unordered_map<std::uint64_t, std::uint64_t> values_;    // by slot
  std::vector<std::uint32_t> learnt_;                          // groups, by this operation
};

/// The slot of a variable.
[[nodiscard]] inline std::uint64_t slot_of(const AccessRecords& records, std::uint32_t variable) {
  const std::uint64_t name =
      variable < records.addresses.size() ? records.addresses[variable] / 8 : variable;
  return records.predictor_slots == 0 ? name : name % records.predictor_slots;
}

/// The version of a group after so many writes.
[[nodiscard]] constexpr std::uint64_t version_after(std::uint64_t writes) {
  return 2 * writes;
}
/// How many writes a read with this bound may have seen.
[[nodiscard]] constexpr std::uint64_t writes_within(std::uint64_t bound) {
  return bound / 2 + bound % 2;
}

}  // namespace orrery::detail
