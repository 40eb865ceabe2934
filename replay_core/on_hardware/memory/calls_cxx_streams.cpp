// What the C++ library allocates for itself at the program's call, and not in simulation.
#include <cstdlib>

#include <dlfcn.h>

#include "program_arenas.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

// std::ios_base::sync_with_stdio: where streams get buffers of their own, these are not the
// program's.
ORRERY_RECORDED bool orrery_recorded_sync_with_stdio(bool is_wanted) __asm__(
    "_ZNSt8ios_base15sync_with_stdioEb");
ORRERY_RECORDED bool orrery_recorded_sync_with_stdio(bool is_wanted) {
  static const auto theirs =
      reinterpret_cast<bool (*)(bool)>(dlsym(RTLD_NEXT, "_ZNSt8ios_base15sync_with_stdioEb"));
  if (theirs == nullptr) std::abort();
  const OutsideArena library;
  return theirs(is_wanted);
}
