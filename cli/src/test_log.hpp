// Logs of C++ tests, which only the test's own program can replay.
#pragma once

#include <string>
#include <vector>

#include <orrery/replay_core/program_info.hpp>

#include "console.hpp"

namespace orrery::cli {

/// Becomes the program `command.front()`.  Throws `UsageError` if it cannot.
[[noreturn]] void execute(const std::vector<std::string>& command);

/// Becomes the test program, with ORRERY_REPLAY naming the log: it replays this one search and
/// reports as the test does.  `path`, where not empty, is used instead of the log's own.  Throws
/// `UsageError` if that is not here, or with `--json`, which a test does not speak.
[[noreturn]] void replay_test(const ProgramInfo& program, const std::string& log_path,
                              const std::string& path, const Console& console, bool wants_timeline);

}  // namespace orrery::cli
