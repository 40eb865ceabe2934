// What the C++ library keeps for all who use it.
#pragma once

namespace orrery::host {

/// Fills what it fills when it is first asked: how letters are widened and narrowed, and with what
/// its own streams are filled up.  Programs look at that in code of their own.  So each run of a
/// program, and a recorded one on real cores (`replay_core/on_hardware`), finds the same.
void fill_caches_of_cxx_library();

}  // namespace orrery::host
