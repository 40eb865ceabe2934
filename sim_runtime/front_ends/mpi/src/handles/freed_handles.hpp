// Handles that were kept after their object was freed.
#pragma once

#include "calls/call.hpp"

namespace orrery::mpi {

/// An error: `argument` stands for `what` (`a type`), which the program has freed.  The line that
/// freed it is named.  Freeing it again is a double free, anything else a use after free.
int fail_freed(const Call& call, const ErrorOwner* owner, int code, const HandleHeader& header,
               const char* argument, const char* what, const char* section);

}  // namespace orrery::mpi
