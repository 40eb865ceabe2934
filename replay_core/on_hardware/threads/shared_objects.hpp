// What threads meet in: the stamps of synchronisation objects, by address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "own_lock.hpp"

namespace orrery::on_hardware {

/// One of the program's objects.  What is known of a mutex its holder alone writes, but for who
/// tries in vain; all the rest is written under `guard`.  One that is made anew in the same place
/// goes on with the stamps of the old one: that orders more than it must, and nothing wrongly.
struct alignas(64) SharedObject {
  std::atomic<std::uintptr_t> address;  ///< 0: not used
  /// The stamp of the last operation; of a mutex twice that, and 1 while it is held.
  std::atomic<std::uint64_t> stamp;
  std::int64_t count;    ///< semaphore: what may be taken; reader-writer lock: its readers, or -1;
                         ///< barrier: who has arrived
  std::int64_t limit;    ///< barrier: how many have to
  std::uint32_t depth;   ///< mutex: how often its holder has it
  std::uint32_t holder;  ///< its number
  OwnLock guard;
};

/// All of them.  Their place is reserved, and memory is used where objects are.
class SharedObjects {
 public:
  /// False: no room can be reserved.
  bool begin();
  /// Null: there are too many.
  [[nodiscard]] SharedObject* find(const volatile void* object) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    const std::size_t first = (address >> 3U) * 0x9e3779b97f4a7c15U >> (64U - places_log2);
    SharedObject& nearest = places_[first];
    const bool is_it = nearest.address.load(std::memory_order_acquire) == address;
    return __builtin_expect(static_cast<long>(is_it), 1) != 0 ? &nearest : search(address, first);
  }

 private:
  static constexpr unsigned places_log2 = 20;
  [[nodiscard]] SharedObject* search(std::uintptr_t address, std::size_t first);

  SharedObject* places_ = nullptr;
};

}  // namespace orrery::on_hardware
