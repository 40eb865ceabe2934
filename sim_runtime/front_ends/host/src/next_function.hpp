// What an interposed function stands before.
#pragma once

#include <dlfcn.h>

namespace orrery::host {

/// The definition after ours: the C library's, or that of a sanitizer.  `Function` is the type of
/// a pointer to it.  Never null for a function that the C library has.
template <typename Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace orrery::host
