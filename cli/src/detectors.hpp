// Detectors by name.
#pragma once

#include <optional>
#include <string>

namespace orrery::cli {

/// Throws `UsageError` where a detector was asked for: none exists yet.
void refuse_detector(const std::optional<std::string>& name);

}  // namespace orrery::cli
