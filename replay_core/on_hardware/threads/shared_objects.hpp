// What threads meet in: the stamps of synchronisation objects, by address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <orrery/replay_core/thread_spool.hpp>

#include "own_lock.hpp"

namespace orrery::on_hardware {

// An object's word: who did the last operation there, with which stamp, and, of a mutex, whether it
// is held.
inline constexpr std::uint64_t held_bit = 1;
inline constexpr unsigned thread_shift = 48;
using thread_spool::many_threads;

[[nodiscard]] constexpr std::uint64_t stamp_in(std::uint64_t word) {
  return (word & ((std::uint64_t{1} << thread_shift) - 1)) >> 1U;
}
/// One more than the thread's number; 0: nobody.
[[nodiscard]] constexpr std::uint64_t thread_in(std::uint64_t word) {
  return word >> thread_shift;
}

/// The stamp of an operation, and the word that it found at its object.
struct Turn {
  static constexpr std::uint32_t no_object = UINT32_MAX;

  std::uint64_t stamp;
  std::uint64_t before;
  std::uint32_t object = no_object;  ///< its number
  bool writes = true;
};

/// One of the program's objects.  What is known of a mutex its holder alone writes, but for who
/// tries in vain; all the rest is written under `guard`.  One that is made anew in the same place
/// goes on with the stamps of the old one: that orders more than it must, and nothing wrongly.
struct alignas(64) SharedObject {
  std::atomic<std::uintptr_t> address;  ///< 0: not used
  std::atomic<std::uint64_t> word;
  std::int64_t count;    ///< semaphore: what may be taken; reader-writer lock: its readers, or -1;
                         ///< barrier: who has arrived
  std::int64_t limit;    ///< barrier: how many have to
  std::uint32_t depth;   ///< mutex: how often its holder has it
  std::uint32_t holder;  ///< its number
  OwnLock guard;
};

/// Of the last operation on it.
[[nodiscard]] inline std::uint64_t last_stamp(const SharedObject& object) {
  return stamp_in(object.word.load(std::memory_order_acquire));
}

/// All of them.  Their place is reserved, and memory is used where objects are: those that lie
/// near each other have neighbouring places, or each would cost a page by itself.
class SharedObjects {
 public:
  /// False: no room can be reserved.
  bool begin();
  [[nodiscard]] std::uint32_t number(const SharedObject& object) const {
    return static_cast<std::uint32_t>(&object - places_);
  }
  /// Null: there are too many.
  [[nodiscard]] SharedObject* find(const volatile void* object) {
    const auto address = reinterpret_cast<std::uintptr_t>(object);
    SharedObject& nearest = places_[first_place(address)];
    const bool is_it = nearest.address.load(std::memory_order_acquire) == address;
    return __builtin_expect(static_cast<long>(is_it), 1) != 0 ? &nearest : search(address);
  }

 private:
  static constexpr unsigned blocks_log2 = 14;
  static constexpr unsigned block_places_log2 = 6;  ///< a place for each word: a page in all
  static constexpr unsigned word_bytes_log2 = 3;
  static constexpr std::size_t block_places = std::size_t{1} << block_places_log2;
  static constexpr std::size_t places = std::size_t{1} << (blocks_log2 + block_places_log2);

  /// Objects of different blocks that begin at the same place in these do not meet either.
  [[nodiscard]] static std::size_t first_place(std::uintptr_t address) {
    const std::uintptr_t word = address >> word_bytes_log2;
    const std::uint64_t hash = (word >> block_places_log2) * 0x9e3779b97f4a7c15U;
    const std::size_t block = hash >> (64U - blocks_log2);
    const std::size_t turn = hash >> (64U - blocks_log2 - block_places_log2);
    return block * block_places + (word + turn) % block_places;
  }
  [[nodiscard]] SharedObject* search(std::uintptr_t address);

  SharedObject* places_ = nullptr;
};

}  // namespace orrery::on_hardware
