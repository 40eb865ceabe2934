// Findings as JSON values: between a worker and its parent, and in files of stopped searches.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include <orrery/sim_runtime/finding.hpp>

namespace orrery::detail {

[[nodiscard]] nlohmann::json to_json(const Finding& finding);
[[nodiscard]] nlohmann::json to_json(const std::vector<Finding>& findings);
/// Throws `nlohmann::json::exception` or `std::out_of_range` for anything that `to_json` does not
/// make.
[[nodiscard]] Finding finding_from_json(const nlohmann::json& value);
[[nodiscard]] std::vector<Finding> findings_from_json(const nlohmann::json& value);

}  // namespace orrery::detail
