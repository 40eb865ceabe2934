// Calls between the libraries of a program.
#pragma once

namespace orrery::on_hardware {

/// Has libraries call what they have of functions that the program's executable has, too, as the
/// loader has not done it: an executable exports what libraries define besides (templates of the
/// C++ library that are compiled into both), and comes first.  In simulation libraries call their
/// own; so what these do to memory, in the executable's instrumented code, would be in a log and
/// not in its replay.  What only the executable has, and what it replaces (`operator new`), stays.
/// While the process has one thread.
void keep_libraries_to_themselves();

}  // namespace orrery::on_hardware
