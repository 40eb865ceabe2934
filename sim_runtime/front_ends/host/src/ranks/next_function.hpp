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

/// The same for the function that we define under this name: `original<&usleep>("usleep")(1)`.
/// Looked up once; without a guard of the compiler's, which would come back to us.
template <auto Ours>
decltype(Ours) original(const char* name) {
  static constinit decltype(Ours) next = nullptr;
  if (next == nullptr) next = next_function<decltype(Ours)>(name);
  return next;
}

}  // namespace orrery::host
