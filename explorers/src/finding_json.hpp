// Findings as JSON values: between a worker and its parent, and in files of stopped searches.
#pragma once

#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include <orrery/sim_runtime/finding.hpp>

namespace orrery::detail {

[[nodiscard]] nlohmann::ordered_json to_json(std::span<const Finding> findings);
[[nodiscard]] nlohmann::ordered_json to_json(const FindingPlace& place);
/// Throws `nlohmann::json::exception` or `std::out_of_range` for anything that `to_json` does not
/// make.
[[nodiscard]] std::vector<Finding> findings_from_json(const nlohmann::ordered_json& value);
[[nodiscard]] FindingPlace place_from_json(const nlohmann::ordered_json& value);

}  // namespace orrery::detail
