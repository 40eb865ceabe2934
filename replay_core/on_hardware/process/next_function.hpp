// The C library's own functions, behind ours.
#pragma once

#include <cstdlib>

#include <dlfcn.h>

namespace orrery::on_hardware {

/// The next one of that name after this library: `next<&::open>("open")`.  Looked up once.
template <auto Own>
decltype(Own) next(const char* name) {
  static const auto found = reinterpret_cast<decltype(Own)>(dlsym(RTLD_NEXT, name));
  if (found == nullptr) std::abort();
  return found;
}

}  // namespace orrery::on_hardware
