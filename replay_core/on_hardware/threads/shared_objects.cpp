#include "shared_objects.hpp"

#include <sys/mman.h>

namespace orrery::on_hardware {

bool SharedObjects::begin() {
  void* const mapped = mmap(nullptr, sizeof(SharedObject) * places, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  places_ = static_cast<SharedObject*>(mapped);
  return true;
}

/// Where the place is another's: the same one of the next blocks, then those beside these.
SharedObject* SharedObjects::search(std::uintptr_t address) {
  std::size_t place = first_place(address);
  for (std::size_t i = 1; i <= places; ++i) {
    SharedObject& there = places_[place];
    std::uintptr_t known = there.address.load(std::memory_order_acquire);
    if (known == 0 && there.address.compare_exchange_strong(known, address)) return &there;
    if (known == address) return &there;
    const bool is_round = i % (places / block_places) == 0;
    place = (place + block_places + (is_round ? 1 : 0)) % places;
  }
  return nullptr;
}

}  // namespace orrery::on_hardware
