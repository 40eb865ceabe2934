#include "touched_memory.hpp"

namespace orrery::host {

bool TouchedMemory::touch(std::uintptr_t address, std::size_t bytes, std::uint32_t task,
                          bool is_static) {
  bool is_shared = false;
  const std::uintptr_t end = address + bytes;
  for (address -= address % granule_bytes; address < end; address += granule_bytes) {
    std::uint32_t& toucher = touchers_.at(address);
    if (toucher == task) continue;
    const bool is_first = toucher == 0 && !is_static;
    is_shared |= !is_first;
    toucher = is_first ? task : several;
  }
  return is_shared;
}

void TouchedMemory::give(std::uintptr_t address, std::size_t bytes, std::uint32_t task) {
  const std::uintptr_t end = address + bytes;
  for (; address < end; address += granule_bytes) touchers_.at(address) = task;
}

void TouchedMemory::forget(std::uintptr_t begin, std::uintptr_t end) {
  touchers_.for_each_in(begin, end, [](std::uint32_t& toucher) { toucher = 0; });
}

}  // namespace orrery::host
