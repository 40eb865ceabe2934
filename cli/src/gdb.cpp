#include "gdb.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "become.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

constexpr int oldest_version = 9;

/// Throws `UsageError` unless there is a gdb that runs the commands of `orrery.py`.
void check_gdb() {
  // Of its own: what a user's start-up file prints is not looked at.
  const std::string said =
      output_of({"gdb", "--batch", "-nx", "-ex", "python print('version', gdb.VERSION)"});
  constexpr std::string_view prefix = "version ";
  const std::size_t at = said.find(prefix);
  if (at == std::string::npos) {
    throw UsageError("this gdb has no Python", "gdb", "install another one: Debian's package gdb");
  }
  const std::string version =
      said.substr(at + prefix.size(), said.find('\n', at) - at - prefix.size());
  // Some are called after their system: "Fedora 13.1".
  const std::size_t number = std::min(version.find_first_of("0123456789"), version.size());
  if (std::atoi(version.c_str() + number) >= oldest_version) return;
  throw UsageError("gdb " + version + " is too old", "gdb",
                   fmt::format("install version {} or later", oldest_version));
}

std::string commands_file() {
  const std::filesystem::path command = own_path();
  std::string path =
      (command.parent_path().parent_path() / "lib" / "orrery" / "orrery-gdb.py").string();
  if (access(path.c_str(), R_OK) == 0) return path;
  throw UsageError("the commands for gdb are missing", path, "install Orrery again");
}

}  // namespace

void become_under_gdb(const GdbSession& session) {
  check_gdb();
  std::vector<std::string> debugger{"gdb", "-q"};
  const auto tell = [&debugger](const std::string& line) {
    debugger.insert(debugger.end(), {"-ex", line});
  };
  for (const std::string& line : session.settings) tell(line);
  tell("set breakpoint pending on");
  tell("source " + commands_file());
  if (session.first_stop.empty()) {
    tell(
        "echo The replay is ready: 'run' takes it to the finding; 'backtrace' then shows where. "
        "'help orrery' has more.\\n");
  } else {
    tell("orrery back " + session.first_stop);
  }
  debugger.emplace_back("--args");
  debugger.insert(debugger.end(), session.command.begin(), session.command.end());
  become(debugger);
}

}  // namespace orrery::cli
