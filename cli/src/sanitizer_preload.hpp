// A command that hosts a program of AddressSanitizer's must have its runtime loaded first.
#pragma once

#include <string>

namespace orrery::cli {

/// Sees to it that the runtime that the program at `path` needs is in this process, ahead of all
/// other libraries: where it is not, this same command line is begun anew, once, with the runtime
/// in LD_PRELOAD (and the call does not return).  What the program sees of LD_PRELOAD is what the
/// user has put there.  Throws `UsageError` if the runtime cannot be had.
void load_sanitizer_of(const std::string& path);

}  // namespace orrery::cli
