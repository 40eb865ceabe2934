// Logs of C++ tests, which only the test's own program can replay.
#pragma once

#include <string>

#include <orrery/replay_core/program_info.hpp>

#include "console.hpp"

namespace orrery::cli {

/// How a test is to replay its log.
struct TestReplay {
  std::string path;  ///< of the test program; empty: as the log says
  bool wants_timeline = false;
  bool uses_gdb = false;
};

/// Becomes the test program, with ORRERY_REPLAY naming the log: it replays this one search and
/// reports as the test does.  Throws `UsageError` if the program is not here, or with `--json`,
/// which a test does not speak.
[[noreturn]] void replay_test(const ProgramInfo& program, const std::string& log_path,
                              const Console& console, const TestReplay& how);

}  // namespace orrery::cli
