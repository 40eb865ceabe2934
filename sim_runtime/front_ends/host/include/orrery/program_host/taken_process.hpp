// A process that began as a program which was not built for Orrery.
#pragma once

#include <string>

namespace orrery {

/// What there is to know of it: our library was preloaded, and got hold of the program where the C
/// library would have started it.
struct TakenProcess {
  int (*main)(int, char**, char**) = nullptr;  ///< the program's
  std::string command;                         ///< where the file of `orrery` is
};

/// Notes that this process is one, before anything else is done in it.  From then on a
/// `ProgramImage` of the program that this process began as is made of the process itself: the
/// program is where the loader has put it, and is in memory once.
void take_process(TakenProcess process);

/// Null in any other process.
[[nodiscard]] const TakenProcess* taken_process();

}  // namespace orrery
