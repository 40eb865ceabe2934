// What a program leaves behind when it finalizes (MPI 3.1, section 8.7).
#pragma once

#include <vector>

#include "calls/call.hpp"

namespace orrery::mpi {

/// Notes each object that the program made and never freed, and each request that it never
/// completed, at the line that made it; several of one line are one finding.  The run goes on.
/// Those that are `kept` are left alone.
void note_leaks(const Call& call, const std::vector<const void*>& kept);

/// What attributes of predefined communicators have as their values, and their keys: libraries keep
/// objects there, and nobody frees them.
std::vector<const void*> objects_of_libraries(RankState& state);

}  // namespace orrery::mpi
