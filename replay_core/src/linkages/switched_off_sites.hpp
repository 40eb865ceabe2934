// Places in a program whose accesses a recording has not counted.
#pragma once

#include <cstdint>
#include <unordered_map>

#include <orrery/replay_core/access_records.hpp>

namespace orrery::detail {

/// Finds the sites of `AccessRecords::SwitchedOff` in the program as it lies in this process.
class SwitchedOffSites {
 public:
  enum class Kind : std::uint8_t {
    none,
    access,  ///< it has not been counted
    order    ///< what it writes need not be in the orders
  };
  /// The records must outlive the run.
  void begin(const AccessRecords::SwitchedOff& sites) {
    sites_ = &sites;
    known_.clear();
  }
  [[nodiscard]] bool is_empty() const { return sites_->is_empty(); }
  [[nodiscard]] Kind kind_of(std::uintptr_t return_address);
  [[nodiscard]] bool has(std::uintptr_t return_address) {
    return !sites_->accesses.empty() && kind_of(return_address) == Kind::access;
  }

 private:
  const AccessRecords::SwitchedOff* sites_ = nullptr;
  std::unordered_map<std::uintptr_t, Kind> known_;
};

/// How far behind the beginning of its image an address of code lies; 0: in none.
[[nodiscard]] std::uint64_t site_of(std::uintptr_t return_address);

}  // namespace orrery::detail
