// The memory of the simulated program in this process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "programs/program_modules.hpp"
#include "rank_memory.hpp"
#include "ranks/rank_context.hpp"
#include "user_heap.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define ORRERY_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORRERY_HAS_ADDRESS_SANITIZER 1
#endif
#endif

extern "C" [[gnu::weak]] void* __interceptor_malloc(
    std::size_t bytes) noexcept;  // AddressSanitizer's

namespace orrery::host {

/// All ranks share it, or its range of addresses.
extern constinit UserHeap user_heap;
/// What each of them has of it.
extern RankMemory rank_memory;

/// Of the rank whose code runs.
inline UserHeap& programs_heap() {
  return rank_memory.heap_of(running().user->rank());
}
/// Of the thread whose code runs; null: it has none of its own.
inline ThreadArena* programs_arena() {
  return running().thread != nullptr ? running().thread->arena : nullptr;
}
/// The thread begins: with an arena, if it is to have one (`wanted_arena`).
void begin_arena(ThreadContext& thread);

/// A block, by `act(heap)` with the heap of the rank whose code runs, or the arena of its thread,
/// while that has room.  A heap that all have is in a fixed place: code that knows it is a third
/// faster than `programs_heap`.
template <typename Act>
[[gnu::always_inline]] inline void* from_programs_heap(const Act& act) {
  if (__builtin_expect(static_cast<long>(rank_memory.are_divided()), 0) == 0) return act(user_heap);
  ThreadArena* const arena = programs_arena();
  void* const block = arena != nullptr ? act(*arena) : nullptr;
  return block != nullptr ? block : act(programs_heap());
}
/// So many bytes.  Whoever asks writes the first `filled_bytes` of them next, which the program
/// does not tell.
[[gnu::always_inline]] inline void* filled_block(std::size_t bytes, std::size_t filled_bytes) {
  return from_programs_heap([bytes, filled_bytes](auto& heap) {
    constexpr bool tells = requires {
      heap.allocate(bytes, filled_bytes);
    };
    if constexpr (tells) {
      return heap.allocate(bytes, filled_bytes);
    } else {
      return heap.allocate(bytes);
    }
  });
}
/// `release(heap)` with the heap that the block belongs to, or the arena of who frees it.
template <typename Act>
[[gnu::always_inline]] inline UserHeap::Release release_to_owner(void* block, const Act& release) {
  if (__builtin_expect(static_cast<long>(rank_memory.are_divided()), 0) == 0) {
    return release(user_heap);
  }
  if (!rank_memory.is_in_arenas(block)) return release(rank_memory.owner_of(block));
  ThreadArena* const arena = programs_arena();
  return arena != nullptr ? release(*arena) : ThreadArena::drop(block);
}
inline UserMappings& programs_mappings() {
  return rank_memory.mappings_of(running().user->rank());
}

/// Before a program is loaded: finds out whether it can have memory of its own, which
/// AddressSanitizer keeps for itself, and the system may have no room for.
void prepare_program_memory();

/// Is it a program that asks for memory?  `caller` lies in the code that asks.
[[gnu::always_inline]] inline bool asks_user_heap(std::uintptr_t caller) {
  const bool is_user = running().user != nullptr;
  return __builtin_expect(static_cast<long>(is_user), 0) != 0 &&
         program_modules.are_programs(caller);
}

}  // namespace orrery::host
