// Which variables share one order of writes and one version.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/replay_core/memory_groups.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

namespace orrery::detail {

/// How variables are put into groups.  Synchronisation objects are by themselves, except where all
/// variables are in one.
struct Grouping {
  MemoryGroups which{MemoryGroups::By::word, 0};
  bool are_all_one = false;

  [[nodiscard]] bool is_by(MemoryGroups::By by) const { return !are_all_one && which.by == by; }
};

/// Gives variables their groups as they come up.
class VariableGroups {
 public:
  void begin(const Grouping& grouping) {
    *this = {};
    grouping_ = grouping;
  }
  /// A block of memory has been handed out, at this place in the program.
  void note_allocated(std::uint64_t address, std::uint64_t bytes, const FindingPlace& asked_at);
  /// The group of a variable; variables come in the order of their numbers.  `site`: which place in
  /// the program comes to it; 0: not known.
  std::uint32_t of(std::uint32_t variable, ObjectId object, const VariablePlace& place,
                   std::uintptr_t site);
  /// By variable; empty: each is one of its own.
  [[nodiscard]] const std::vector<std::uint32_t>& groups() const { return groups_; }

 private:
  /// What variables of one group have in common.
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Block {
    std::uint64_t behind = 0;
    std::uint32_t site = 0;
  };
  [[nodiscard]] Key key_of(ObjectId object, const VariablePlace& place, std::uintptr_t site) const;
  [[nodiscard]] Key key_in_block(const VariablePlace& place) const;

  Grouping grouping_;
  std::vector<std::uint32_t> groups_;
  std::map<Key, std::uint32_t> known_;
  std::map<std::uint64_t, Block> blocks_;  // of memory, by address
  std::unordered_map<std::string, std::uint32_t> sites_;
  std::uint32_t count_ = 0;
};

}  // namespace orrery::detail
