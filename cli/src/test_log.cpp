#include "test_log.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "become.hpp"
#include "gdb.hpp"

namespace orrery::cli {

void replay_test(const ProgramInfo& program, const std::string& log_path, const Console& console,
                 const TestReplay& how) {
  if (console.is_json) {
    throw UsageError(
        "the log is of the C++ test '" + program.name + "', which prints its own report", log_path,
        "leave --json out");
  }
  if (how.path.empty() && program.host != this_host_id()) {
    throw UsageError("the log was made on another machine, by " + program.path, log_path,
                     "name the test program here with --program PATH");
  }
  const std::string file = how.path.empty() ? program.path : how.path;
  if (access(file.c_str(), X_OK) != 0) {
    throw UsageError(
        std::string("the log's test program cannot be started: ") + std::strerror(errno), file,
        "build it again, or name it with --program PATH");
  }
  setenv("ORRERY_REPLAY", std::filesystem::absolute(log_path).c_str(), 1);
  if (how.wants_timeline) setenv("ORRERY_TIMELINE", "1", 1);
  std::vector<std::string> command{file};
  command.insert(command.end(), program.arguments.begin(), program.arguments.end());
  if (how.uses_gdb) become_under_gdb({command, {}, {}});
  become(command);
}

}  // namespace orrery::cli
