// The memory accesses of `-fsanitize=thread`.
#include <cstring>

#include "atomic_hooks.hpp"

namespace {

OrreryAccess access_of(std::uint64_t address, std::uint64_t size, bool is_write,
                       std::uintptr_t caller) {
  return {address | (is_write ? ORRERY_ACCESS_WRITE : 0) | size << ORRERY_ACCESS_ADDRESS_BITS,
          caller};
}

// Calls `function(address, size)` for the part of the bytes in each word, until one gives false.
template <typename Function>
[[gnu::always_inline]] inline bool for_each_word(std::uint64_t address, std::uint64_t size,
                                                 const Function& function) {
  const std::uint64_t end = address + size;
  while (address < end) {
    const std::uint64_t word_end = (address | 7U) + 1;
    const std::uint64_t stop = word_end < end ? word_end : end;
    if (!function(address, stop - address)) return false;
    address = stop;
  }
  return true;
}

// What may lie in several words.
[[gnu::noinline]] void many_words(OrreryHooks* hooks, std::uint64_t address, std::uint64_t size,
                                  bool is_write, std::uintptr_t caller) {
  bool is_old = true;
  const bool has_words = for_each_word(address, size, [&](std::uint64_t part, std::uint64_t bytes) {
    const OrreryToldWord* const word = orrery_told_word(hooks->told, part);
    if (word == nullptr) return false;
    is_old = orrery_is_told(*word, hooks->stretch, orrery_told_bits(part, bytes, is_write));
    return is_old;
  });
  if (has_words) return;
  OrreryAccess* const next = hooks->next;
  const bool is_noted =
      next != hooks->end &&
      for_each_word(address, size, [=](std::uint64_t part, std::uint64_t bytes) {
        OrreryToldWord* const word = orrery_told_word(hooks->told, part);
        if (word == nullptr) return false;
        *word = orrery_told_too(*word, hooks->stretch, orrery_told_bits(part, bytes, is_write));
        return true;
      });
  const OrreryAccess access = access_of(address, size, is_write, caller);
  if (!is_noted) return hooks->access(hooks, access);
  *next = access;
  hooks->next = next + 1;
}

// Programs consist of what is inlined here: most accesses were told before, or are noted at once.
[[gnu::always_inline]] inline void one_word(OrreryHooks* hooks, std::uint64_t address,
                                            std::uint64_t size, bool is_write,
                                            std::uintptr_t caller) {
  OrreryToldWord* const word = orrery_told_word(hooks->told, address);
  const std::uint64_t bits = orrery_told_bits(address, size, is_write);
  OrreryAccess* next = nullptr;
  if (__builtin_expect(static_cast<long>(word != nullptr), 1) != 0) {
    if (orrery_is_told(*word, hooks->stretch, bits)) return;
    // What was told before keeps nothing in registers for what is not.
    __asm__ volatile("" ::: "memory");
    next = hooks->next;
    if (__builtin_expect(static_cast<long>(next != hooks->end), 1) != 0) {
      *word = orrery_told_too(*word, hooks->stretch, bits);
      *next = access_of(address, size, is_write, caller);
      hooks->next = next + 1;
      return;
    }
  }
  hooks->access(hooks, access_of(address, size, is_write, caller));
}

// What vectorised loops do.  Both words lie in one leaf.
[[gnu::always_inline]] inline void two_words(OrreryHooks* hooks, std::uint64_t address,
                                             bool is_write, std::uintptr_t caller) {
  OrreryToldWord* const words = orrery_told_word(hooks->told, address);
  const std::uint64_t bits = orrery_told_bits(0, 8, is_write);
  if (__builtin_expect(static_cast<long>(words != nullptr), 1) != 0) {
    const bool is_old = orrery_is_told(words[0], hooks->stretch, bits) &&
                        orrery_is_told(words[1], hooks->stretch, bits);
    if (is_old) return;
    __asm__ volatile("" ::: "memory");
    OrreryAccess* const next = hooks->next;
    if (__builtin_expect(static_cast<long>(next != hooks->end), 1) != 0) {
      words[0] = orrery_told_too(words[0], hooks->stretch, bits);
      words[1] = orrery_told_too(words[1], hooks->stretch, bits);
      *next = access_of(address, 16, is_write, caller);
      hooks->next = next + 1;
      return;
    }
  }
  hooks->access(hooks, access_of(address, 16, is_write, caller));
}

[[gnu::always_inline]] inline void access(const volatile void* place, std::uint64_t size,
                                          bool is_write, std::uintptr_t caller) {
  OrreryHooks* const hooks = orrery_hooks_slot;
  if (__builtin_expect(static_cast<long>(hooks == nullptr), 0) != 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  if (size == 16 && (address & 15U) == 0) return two_words(hooks, address, is_write, caller);
  if ((address & 7U) + size > 8) return many_words(hooks, address, size, is_write, caller);
  one_word(hooks, address, size, is_write, caller);
}

void range(const void* address, std::size_t size, bool is_write, std::uintptr_t caller) {
  OrreryHooks* const hooks = orrery_hooks_slot;
  if (hooks == nullptr) return;
  auto place = reinterpret_cast<std::uintptr_t>(address);
  // What small structures are copied by.
  if ((place & 7U) + size <= 8 && size != 0) return one_word(hooks, place, size, is_write, caller);
  while (size > 0) {
    const std::size_t piece = size < ORRERY_ACCESS_SIZE_MAX ? size : ORRERY_ACCESS_SIZE_MAX;
    many_words(hooks, place, piece, is_write, caller);
    place += piece;
    size -= piece;
  }
}

std::uintptr_t at(const void* caller) {
  return reinterpret_cast<std::uintptr_t>(caller);
}

}  // namespace

#define ORRERY_ACCESS(symbol, name, bytes, is_write)                            \
  ORRERY_HOOK(void, "__tsan_" symbol #bytes, name##_##bytes, (void* address)) { \
    access(address, bytes, is_write, ORRERY_CALLER);                            \
  }
#define ORRERY_ACCESS_PC(symbol, name, bytes, is_write)                 \
  ORRERY_HOOK(void, "__tsan_" symbol #bytes "_pc", name##_##bytes##_pc, \
              (void* address, void* caller)) {                          \
    access(address, bytes, is_write, at(caller));                       \
  }
#define ORRERY_BOTH(symbol, name, bytes)                                        \
  ORRERY_HOOK(void, "__tsan_" symbol #bytes, name##_##bytes, (void* address)) { \
    access(address, bytes, false, ORRERY_CALLER);                               \
    access(address, bytes, true, ORRERY_CALLER);                                \
  }
#define ORRERY_ACCESSES(bytes)                                                     \
  ORRERY_ACCESS("read", read, bytes, false)                                        \
  ORRERY_ACCESS("write", write, bytes, true)                                       \
  ORRERY_ACCESS_PC("read", read, bytes, false)                                     \
  ORRERY_ACCESS_PC("write", write, bytes, true)                                    \
  ORRERY_ACCESS("unaligned_read", unaligned_read, bytes, false)                    \
  ORRERY_ACCESS("unaligned_write", unaligned_write, bytes, true)                   \
  ORRERY_ACCESS("volatile_read", volatile_read, bytes, false)                      \
  ORRERY_ACCESS("volatile_write", volatile_write, bytes, true)                     \
  ORRERY_ACCESS("unaligned_volatile_read", unaligned_volatile_read, bytes, false)  \
  ORRERY_ACCESS("unaligned_volatile_write", unaligned_volatile_write, bytes, true) \
  ORRERY_BOTH("read_write", read_write, bytes)                                     \
  ORRERY_BOTH("unaligned_read_write", unaligned_read_write, bytes)

ORRERY_ACCESSES(1)
ORRERY_ACCESSES(2)
ORRERY_ACCESSES(4)
ORRERY_ACCESSES(8)
ORRERY_ACCESSES(16)

ORRERY_HOOK(void, "__tsan_read_range", read_range, (void* address, std::size_t size)) {
  range(address, size, false, ORRERY_CALLER);
}
ORRERY_HOOK(void, "__tsan_write_range", write_range, (void* address, std::size_t size)) {
  range(address, size, true, ORRERY_CALLER);
}
ORRERY_HOOK(void, "__tsan_read_range_pc", read_range_pc,
            (void* address, std::size_t size, void* caller)) {
  range(address, size, false, at(caller));
}
ORRERY_HOOK(void, "__tsan_write_range_pc", write_range_pc,
            (void* address, std::size_t size, void* caller)) {
  range(address, size, true, at(caller));
}

ORRERY_HOOK(void, "__tsan_vptr_read", vptr_read, (void** pointer)) {
  access(pointer, sizeof *pointer, false, ORRERY_CALLER);
}
// Each constructor and destructor of a hierarchy writes it.  Also where that is there already: what
// a block held before it was handed out differs from run to run.
ORRERY_HOOK(void, "__tsan_vptr_update", vptr_update, (void** pointer, void* /*value*/)) {
  access(pointer, sizeof *pointer, true, ORRERY_CALLER);
}

ORRERY_HOOK(void*, "__tsan_memcpy", tsan_memcpy, (void* to, const void* from, std::size_t size)) {
  range(from, size, false, ORRERY_CALLER);
  range(to, size, true, ORRERY_CALLER);
  return std::memcpy(to, from, size);
}
ORRERY_HOOK(void*, "__tsan_memmove", tsan_memmove, (void* to, const void* from, std::size_t size)) {
  range(from, size, false, ORRERY_CALLER);
  range(to, size, true, ORRERY_CALLER);
  return std::memmove(to, from, size);
}
ORRERY_HOOK(void*, "__tsan_memset", tsan_memset, (void* to, int value, std::size_t size)) {
  range(to, size, true, ORRERY_CALLER);
  return std::memset(to, value, size);
}
