// What the process that does a run again tells of the races that it has seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/finding.hpp>

#include "race_watch.hpp"

namespace orrery::detail {

/// The class of RecPlay's findings.
inline constexpr std::string_view parallel_segments = "parallel segments";

struct ToldRaces {
  std::vector<Finding> findings;
  std::vector<RaceAccesses> races;
  std::vector<FindingPlace> frontier;  ///< by task: the point before its first access that races
  bool has_all = false;                ///< it has come to all that it watched for
};

[[nodiscard]] std::string tell_races(const RaceWatch& watch);
[[nodiscard]] ToldRaces read_told_races(const std::string& told);

}  // namespace orrery::detail
