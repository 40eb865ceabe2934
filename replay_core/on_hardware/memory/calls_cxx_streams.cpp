// What the C++ library allocates for itself at the program's call, and not in simulation.
#include "next_function.hpp"
#include "program_arenas.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

// std::ios_base::sync_with_stdio: where streams get buffers of their own, these are not the
// program's.
ORRERY_RECORDED bool orrery_recorded_sync_with_stdio(bool is_wanted) __asm__(
    "_ZNSt8ios_base15sync_with_stdioEb");
ORRERY_RECORDED bool orrery_recorded_sync_with_stdio(bool is_wanted) {
  static constinit NextFunction<bool (*)(bool)> real_one;
  const auto theirs = real_one.by_name("_ZNSt8ios_base15sync_with_stdioEb");
  const OutsideArena library;
  return theirs(is_wanted);
}
