// What the C++ library keeps for all who use it.
#pragma once

namespace orrery::on_hardware {

/// Makes its streams and fills what it fills when it is first asked, which programs look at in code
/// of their own: in simulation it finds all of that filled (`fill_caches_of_cxx_library`).  Nothing
/// where the program has no such library.  Before anything is recorded.
void fill_caches_of_cxx_library();

}  // namespace orrery::on_hardware
