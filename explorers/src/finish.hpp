// What is done for a finding once a search has ended: shrink it, save it, draw it.
#pragma once

#include <optional>

#include "explorer.hpp"

namespace orrery::detail {

/// Shrinks the first finding, writes logs and timelines and the commands that replay them.
void finish_findings(const ExploreOptions& options, const Program& program, Report& report);

/// What `explore` does instead of searching where ORRERY_REPLAY names a log; nothing if it does
/// not.
[[nodiscard]] std::optional<Report> replay_instead(const ExploreOptions& options,
                                                   const Program& program);

}  // namespace orrery::detail
