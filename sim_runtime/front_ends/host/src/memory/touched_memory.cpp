#include "touched_memory.hpp"

namespace orrery::host {

void TouchedMemory::give(std::uintptr_t address, std::size_t bytes, std::uint32_t task) {
  const std::uintptr_t end = (address + bytes + granule_bytes - 1) / granule_bytes * granule_bytes;
  touchers_.fill(address - address % granule_bytes, end, task);
}

void TouchedMemory::forget(std::uintptr_t begin, std::uintptr_t end) {
  touchers_.for_each_in(begin, end, [](std::uint32_t& toucher) { toucher = 0; });
}

}  // namespace orrery::host
