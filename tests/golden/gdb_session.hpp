// Replays that a user looks at in gdb.
#pragma once

#include <cstdlib>
#include <string>

#include "command_runner.hpp"

namespace orrery::test {

/// Is gdb here, and may it hold processes (containers may forbid it)?  Not inside of itself.
inline bool has_gdb(const WorkingDirectory& here) {
  if (std::getenv("ORRERY_REPLAY") != nullptr) return false;
  return has(here.shell("gdb -q -batch -ex run --args true").out, "exited normally");
}

/// Some virtual machines take watchpoints for their processor and never stop at one, in any
/// program.
inline bool stops_at_watchpoints(const WorkingDirectory& here) {
  here.write("watched.c", "int x;\nint main(void) { x = 5; return x; }\n");
  const CommandResult seen = here.shell(
      "gcc -g watched.c -o watched && "
      "gdb -q -batch -ex 'break main' -ex run -ex 'watch x' -ex continue ./watched");
  return has(seen.out, "New value = 5");
}

/// What a user sees who types these lines.
inline std::string session(const WorkingDirectory& here, const std::string& log,
                           const std::string& lines) {
  const CommandResult result = here.orrery("replay --gdb " + log, lines);
  return result.out + result.err;
}

}  // namespace orrery::test
