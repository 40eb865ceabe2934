#include "shared_objects.hpp"

#include <sys/mman.h>

namespace orrery::on_hardware {

bool SharedObjects::begin() {
  void* const mapped = mmap(nullptr, sizeof(SharedObject) << places_log2, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  places_ = static_cast<SharedObject*>(mapped);
  return true;
}

SharedObject* SharedObjects::search(std::uintptr_t address, std::size_t first) {
  constexpr std::size_t places = std::size_t{1} << places_log2;
  for (std::size_t i = 0; i < places; ++i) {
    SharedObject& place = places_[(first + i) % places];
    std::uintptr_t there = place.address.load(std::memory_order_acquire);
    if (there == 0 && place.address.compare_exchange_strong(there, address)) return &place;
    if (there == address) return &place;
  }
  return nullptr;
}

}  // namespace orrery::on_hardware
