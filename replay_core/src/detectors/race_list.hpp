// Races as findings.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "access_history.hpp"
#include "order/place_table.hpp"

namespace orrery::detail {

/// Collects the races of a run: one finding for each pair of places.
class RaceList {
 public:
  void begin_run(const Names* names);
  /// Is this pair of places still to be added?  Cheap, where a loop races a million times.
  [[nodiscard]] bool is_new(PlaceNumber now, PlaceNumber earlier) {
    return seen_.insert(std::minmax({now, earlier})).second;
  }
  /// Adds what `now` did to `variable` and what raced with it.
  void add(const std::string& variable, const Access& now, bool writes, const Race& race,
           const PlaceTable& places, const EpochNumbers& epochs);
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

 private:
  [[nodiscard]] FindingPlace place_of(TaskId task, PlaceNumber place, const char* role,
                                      const PlaceTable& places) const;

  const Names* names_ = nullptr;
  std::set<std::pair<PlaceNumber, PlaceNumber>> seen_;
  std::vector<Finding> findings_;
};

}  // namespace orrery::detail
