// Which program a log is of, and how a person runs it again.
#pragma once

#include <string>

#include <orrery/replay_core/program_info.hpp>

#include "explorer.hpp"

namespace orrery::detail {

/// `options.program`; where that has no name, this process as a test program and the search's name.
[[nodiscard]] ProgramInfo identify(const ExploreOptions& options);

/// A shell command that replays the log.
[[nodiscard]] std::string replay_command(const ProgramInfo& program, const std::string& log_path);

}  // namespace orrery::detail
