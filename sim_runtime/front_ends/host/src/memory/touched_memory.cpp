#include "touched_memory.hpp"

namespace orrery::host {

void TouchedMemory::give(std::uintptr_t address, std::size_t bytes, std::uint32_t task) {
  const std::uintptr_t end = address + bytes;
  for (; address < end; address += granule_bytes) touchers_.at(address) = task;
}

void TouchedMemory::forget(std::uintptr_t begin, std::uintptr_t end) {
  touchers_.for_each_in(begin, end, [](std::uint32_t& toucher) { toucher = 0; });
}

}  // namespace orrery::host
