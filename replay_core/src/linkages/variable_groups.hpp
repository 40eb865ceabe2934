// Which variables share one order of writes and one version.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/sim_runtime/variable_places.hpp>

namespace orrery::detail {

/// How variables are put into groups.  Synchronisation objects are by themselves, except where all
/// variables are in one.
struct Grouping {
  enum class By : std::uint8_t { variable, block, all };
  By by = By::variable;
  std::uint64_t block_bytes = 0;

  /// `group=variable` or `group=block:BYTES`, a power of two.  Throws `UsageError`.
  static Grouping of(const NameWithOptions& given);
};

/// Gives variables their groups as they come up.
class VariableGroups {
 public:
  void begin(const Grouping& grouping) {
    *this = {};
    grouping_ = grouping;
  }
  /// The group of a variable; variables come in the order of their numbers.
  std::uint32_t of(std::uint32_t variable, ObjectId object, const VariablePlace& place);
  /// By variable; empty: each is one of its own.
  [[nodiscard]] const std::vector<std::uint32_t>& groups() const { return groups_; }

 private:
  Grouping grouping_;
  std::vector<std::uint32_t> groups_;
  std::unordered_map<std::uint64_t, std::uint32_t> blocks_;  // groups by place
  std::uint32_t count_ = 0;
};

}  // namespace orrery::detail
