// Steps of time, by a team of threads.
#pragma once

#include "space.hpp"

namespace nbody {

// Moves all bodies `steps` times; returns how many pairs were looked at.
long simulate(Space& space, int steps, int threads);

}  // namespace nbody
