// What of OpenMP a simulated program cannot use.
#pragma once

namespace orrery::openmp {

/// Ends the run with an error of the caller's: the program uses `what`, which there is not.
void refuse(const char* what);

}  // namespace orrery::openmp
