// Blocks of memory that are handed out: what lies there is something new.  The program's own lie in
// its threads' arenas, while these have room; all others are the allocator's affair.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <malloc.h>

#include "memory_record.hpp"
#include "next_function.hpp"
#include "process_record.hpp"
#include "program_arenas.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;
using orrery::host::ThreadArena;

namespace {

constexpr std::size_t page_bytes = 4096;

void* handed_out_by_library(void* block) {
  if (block != nullptr && memory_record.is_on() && recorded() != nullptr) {
    memory_record.forget(block, next<&::malloc_usable_size>("malloc_usable_size")(block));
  }
  return block;
}

/// Who asks for memory.
struct Asker {
  const void* caller;
  const void* frame;  ///< of our function
};

/// Of the function that this is called in.
[[gnu::always_inline]] inline Asker asker() {
  return {__builtin_return_address(0), __builtin_frame_address(0)};
}

void* handed_out(void* block, const Asker& who) {
  handed_out_of_arena(block);
  WordGroups& groups = memory_record.groups();
  if (block != nullptr && groups.are_any()) {
    const std::size_t bytes = ThreadArena::usable_bytes(block);
    groups.note_allocated(block, bytes, who.caller, who.frame, memory_record.words());
  }
  return block;
}

/// The program's block, by `allocate(arena)`; null: it has none, or that is full, as it is in a
/// replay then.
template <typename Allocate>
void* from_arena(const Asker& who, const Allocate& allocate) {
  ThreadArena* const arena = arena_for(who.caller);
  return arena != nullptr ? handed_out(allocate(*arena), who) : nullptr;
}

void* allocated(std::size_t bytes, const Asker& who) {
  void* const own = from_arena(who, [bytes](auto& arena) { return arena.allocate(bytes); });
  return own != nullptr ? own : handed_out_by_library(next<&::malloc>("malloc")(bytes));
}

void* aligned_in_arena(std::size_t boundary, std::size_t bytes, const Asker& who) {
  if (boundary == 0 || (boundary & (boundary - 1)) != 0) return nullptr;
  return from_arena(
      who, [boundary, bytes](auto& arena) { return arena.allocate_aligned(boundary, bytes); });
}

/// A block of an arena gets another size.  It is a new one if it moves, as it is in a replay.
void* resized(void* block, std::size_t bytes, const Asker& who) {
  if (bytes == 0) {
    release_to_arena(block);
    return nullptr;
  }
  const std::size_t old_bytes = ThreadArena::usable_bytes(block);
  if (old_bytes == 0 || ThreadArena::is_free(block)) release_to_arena(block);  // ends the process
  void* const moved = own_arena != nullptr ? own_arena->reallocate(block, bytes) : nullptr;
  if (moved == block) return block;
  if (moved != nullptr) return handed_out(moved, who);
  void* const elsewhere = handed_out_by_library(next<&::malloc>("malloc")(bytes));
  if (elsewhere == nullptr) return nullptr;
  std::memcpy(elsewhere, block, std::min(old_bytes, bytes));
  release_to_arena(block);
  return elsewhere;
}

}  // namespace

ORRERY_RECORDED void* malloc(std::size_t bytes) noexcept {
  return allocated(bytes, asker());
}

ORRERY_RECORDED void free(void* block) noexcept {
  return is_in_arena(block) ? release_to_arena(block) : next<&::free>("free")(block);
}

ORRERY_RECORDED void* calloc(std::size_t count, std::size_t bytes) noexcept {
  std::size_t whole = 0;
  if (!__builtin_mul_overflow(count, bytes, &whole)) {
    void* const own =
        from_arena(asker(), [whole](auto& arena) { return arena.allocate_zeroed(whole); });
    if (own != nullptr) return own;
  }
  return handed_out_by_library(next<&::calloc>("calloc")(count, bytes));
}

// Of the library's, one that has grown where it was is a new one, too: in simulation it may have
// moved.
ORRERY_RECORDED void* realloc(void* block, std::size_t bytes) noexcept {
  if (is_in_arena(block)) return resized(block, bytes, asker());
  if (block == nullptr) return allocated(bytes, asker());
  return handed_out_by_library(next<&::realloc>("realloc")(block, bytes));
}

ORRERY_RECORDED void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t whole = 0;
  if (__builtin_mul_overflow(count, bytes, &whole)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (is_in_arena(block)) return resized(block, whole, asker());
  if (block == nullptr) return allocated(whole, asker());
  return handed_out_by_library(next<&::realloc>("realloc")(block, whole));
}

ORRERY_RECORDED void* memalign(std::size_t boundary, std::size_t bytes) noexcept {
  std::size_t power = 1;  // as the C library does, it is rounded up
  while (power < boundary && power << 1U != 0) power <<= 1U;
  void* const own = aligned_in_arena(power, bytes, asker());
  if (own != nullptr) return own;
  return handed_out_by_library(next<&::memalign>("memalign")(boundary, bytes));
}

ORRERY_RECORDED void* aligned_alloc(std::size_t boundary, std::size_t bytes) noexcept {
  void* const own = aligned_in_arena(boundary, bytes, asker());
  if (own != nullptr) return own;
  return handed_out_by_library(next<&::aligned_alloc>("aligned_alloc")(boundary, bytes));
}

ORRERY_RECORDED int posix_memalign(void** block, std::size_t boundary, std::size_t bytes) noexcept {
  const bool is_right = boundary % sizeof(void*) == 0;
  void* const own = is_right ? aligned_in_arena(boundary, bytes, asker()) : nullptr;
  if (own != nullptr) {
    *block = own;
    return 0;
  }
  const int error = next<&::posix_memalign>("posix_memalign")(block, boundary, bytes);
  if (error == 0) handed_out_by_library(*block);
  return error;
}

ORRERY_RECORDED void* valloc(std::size_t bytes) noexcept {
  void* const own = aligned_in_arena(page_bytes, bytes, asker());
  return own != nullptr ? own : handed_out_by_library(next<&::valloc>("valloc")(bytes));
}

ORRERY_RECORDED void* pvalloc(std::size_t bytes) noexcept {
  if (bytes <= SIZE_MAX - page_bytes) {
    const std::size_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    void* const own = aligned_in_arena(page_bytes, whole, asker());
    if (own != nullptr) return own;
  }
  return handed_out_by_library(next<&::pvalloc>("pvalloc")(bytes));
}

ORRERY_RECORDED std::size_t malloc_usable_size(void* block) noexcept {
  if (is_in_arena(block)) return ThreadArena::usable_bytes(block);
  return next<&::malloc_usable_size>("malloc_usable_size")(block);
}
