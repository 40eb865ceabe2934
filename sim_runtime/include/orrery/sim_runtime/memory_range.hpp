// A range of addresses.
#pragma once

#include <cstdint>

namespace orrery {

/// Memory from `begin` up to `end`.
struct MemoryRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

}  // namespace orrery
