// Findings as JSON, in the one shape that reports, workers and state files use.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>

namespace orrery {

/// An array of objects with the fields `kind`, `message` and `where`; bytes that are no UTF-8
/// become U+FFFD.
[[nodiscard]] std::string json_text(std::span<const Finding> findings);
/// Back.  Throws `std::exception` for a text that `json_text` does not make.
[[nodiscard]] std::vector<Finding> findings_from_json_text(std::string_view text);

}  // namespace orrery
