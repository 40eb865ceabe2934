// The shared libraries that came with a program.
#pragma once

#include "memory_snapshot.hpp"

namespace orrery::host {

class ProgramCopy;

/// The project's own libraries and others that were loaded for it: common to all ranks, but in each
/// run as they were when the program had been loaded.  What was there before any program (the C and
/// C++ libraries among them) is left alone.
class ProgramLibraries {
 public:
  /// After the first copy of the program has been loaded.
  explicit ProgramLibraries(const ProgramCopy& program);
  void restore() const { snapshot_.restore(); }

 private:
  MemorySnapshot snapshot_;
};

}  // namespace orrery::host
