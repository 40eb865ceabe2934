// The shared libraries that came with a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "memory/memory_snapshot.hpp"

namespace orrery::host {

class ProgramCopy;

/// Libraries that were loaded for the program, or by it, but were not built for Orrery: common to
/// all ranks, but in each run as they were when they had been loaded.  What was there before any
/// program (the C and C++ libraries among them) is left alone.
class ProgramLibraries {
 public:
  /// After all copies of the program have been loaded.
  explicit ProgramLibraries(const std::deque<ProgramCopy>& copies);
  void restore() const { snapshot_.restore(); }

  /// As `dlopen` does, as the host.  What is new is restored from now on.
  void* open(const char* library, int flags);

 private:
  void add_new();
  [[nodiscard]] bool is_of_copy(const void* place);

  const std::deque<ProgramCopy>* copies_;
  std::size_t last_copy_ = 0;          // that a place was found in
  std::vector<std::uintptr_t> known_;  // by a place within them
  MemorySnapshot snapshot_;
};

}  // namespace orrery::host
