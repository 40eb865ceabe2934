// The shared libraries that came with a program.
#pragma once

#include <deque>

#include "memory_snapshot.hpp"

namespace orrery::host {

class ProgramCopy;

/// Libraries that were loaded for the program but were not built for Orrery: common to all ranks,
/// but in each run as they were when the program had been loaded.  What was there before any
/// program (the C and C++ libraries among them) is left alone.
class ProgramLibraries {
 public:
  /// After all copies of the program have been loaded.
  explicit ProgramLibraries(const std::deque<ProgramCopy>& copies);
  void restore() const { snapshot_.restore(); }

 private:
  MemorySnapshot snapshot_;
};

}  // namespace orrery::host
