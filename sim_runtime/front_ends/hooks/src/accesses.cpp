// The memory accesses of `-fsanitize=thread`.
#include <cstring>

#include "atomic_hooks.hpp"

namespace orrery::hooks {
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
  const bool is_old = for_each_word(address, size, [=](std::uint64_t part, std::uint64_t bytes) {
    const std::uint8_t bits = orrery_told_bits(part, bytes);
    return (*orrery_told(hooks->told, hooks->told_mask, part, is_write) & bits) == bits;
  });
  if (is_old) return;
  const OrreryAccess access = access_of(address, size, is_write, caller);
  OrreryAccess* const next = hooks->next;
  if (next == hooks->end) return hooks->access(hooks, access);
  for_each_word(address, size, [=](std::uint64_t part, std::uint64_t bytes) {
    *orrery_told(hooks->told, hooks->told_mask, part, is_write) |= orrery_told_bits(part, bytes);
    return true;
  });
  *next = access;
  hooks->next = next + 1;
}

// Programs consist of what is inlined here: most accesses were told before, or are noted at once.
// `Bits`: of one word of memory, or of two.  `caller()`: what was told before does not look for it.
template <typename Bits, typename Caller>
[[gnu::always_inline]] inline void few_words(OrreryHooks* hooks, std::uint8_t* told, Bits bits,
                                             std::uint64_t address, std::uint64_t size,
                                             bool is_write, const Caller& caller) {
  Bits now = 0;
  __builtin_memcpy(&now, told, sizeof now);
  if (__builtin_expect(static_cast<long>((now & bits) == bits), 1) != 0) return;
  // What was told before computes nothing, and keeps nothing in registers, for what is not.
  __asm__ volatile("" : "+r"(address) : : "memory");
  const OrreryAccess access = access_of(address, size, is_write, caller());
  OrreryAccess* const next = hooks->next;
  if (__builtin_expect(static_cast<long>(next == hooks->end), 0) != 0) {
    return hooks->access(hooks, access);
  }
  now |= bits;
  __builtin_memcpy(told, &now, sizeof now);
  *next = access;
  hooks->next = next + 1;
}

template <typename Caller>
[[gnu::always_inline]] inline void access(const volatile void* place, std::uint64_t size,
                                          bool is_write, const Caller& caller) {
  OrreryHooks* const hooks = orrery_hooks_slot;
  if (__builtin_expect(static_cast<long>(hooks == nullptr), 0) != 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  // Of 16 bytes both words lie side by side in our row, too: what vectorised loops do.
  const std::uint64_t boundary = size < 8 ? size : 8;
  if ((address & (boundary - 1)) != 0) {
    return many_words(hooks, address, size, is_write, caller());
  }
  if (size == 16) {
    constexpr std::uint32_t both = 0x00ff00ff;
    return few_words(hooks, orrery_told(hooks->told, hooks->told_mask, address, 0),
                     is_write ? both << 8U : both, address, size, is_write, caller);
  }
  few_words(hooks, orrery_told(hooks->told, hooks->told_mask, address, is_write),
            orrery_told_bits(address, size), address, size, is_write, caller);
}

[[gnu::noinline]] void long_range(OrreryHooks* hooks, std::uintptr_t place, std::size_t size,
                                  bool is_write, std::uintptr_t caller) {
  while (size > 0) {
    const std::size_t piece = size < ORRERY_ACCESS_SIZE_MAX ? size : ORRERY_ACCESS_SIZE_MAX;
    many_words(hooks, place, piece, is_write, caller);
    place += piece;
    size -= piece;
  }
}

template <typename Caller>
[[gnu::always_inline]] inline void range(const void* address, std::size_t size, bool is_write,
                                         const Caller& caller) {
  // What small structures are copied by.
  if (size == 8) return access(address, 8, is_write, caller);
  if (size == 16) return access(address, 16, is_write, caller);
  OrreryHooks* const hooks = orrery_hooks_slot;
  if (hooks == nullptr) return;
  long_range(hooks, reinterpret_cast<std::uintptr_t>(address), size, is_write, caller());
}

[[gnu::always_inline]] inline auto at(const void* caller) {
  return [caller] { return reinterpret_cast<std::uintptr_t>(caller); };
}

}  // namespace
}  // namespace orrery::hooks

using namespace orrery::hooks;

// Where the function into which it is inlined was called.
#define ORRERY_FIND_CALLER               \
  [&]() __attribute__((always_inline)) { \
    return ORRERY_CALLER;                \
  }

#define ORRERY_ACCESS(symbol, name, bytes, is_write)                            \
  ORRERY_HOOK(void, "__tsan_" symbol #bytes, name##_##bytes, (void* address)) { \
    access(address, bytes, is_write, ORRERY_FIND_CALLER);                       \
  }
#define ORRERY_ACCESS_PC(symbol, name, bytes, is_write)                 \
  ORRERY_HOOK(void, "__tsan_" symbol #bytes "_pc", name##_##bytes##_pc, \
              (void* address, void* caller)) {                          \
    access(address, bytes, is_write, at(caller));                       \
  }
#define ORRERY_BOTH(symbol, name, bytes)                                        \
  ORRERY_HOOK(void, "__tsan_" symbol #bytes, name##_##bytes, (void* address)) { \
    access(address, bytes, false, ORRERY_FIND_CALLER);                          \
    access(address, bytes, true, ORRERY_FIND_CALLER);                           \
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
  range(address, size, false, ORRERY_FIND_CALLER);
}
ORRERY_HOOK(void, "__tsan_write_range", write_range, (void* address, std::size_t size)) {
  range(address, size, true, ORRERY_FIND_CALLER);
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
  access(pointer, sizeof *pointer, false, ORRERY_FIND_CALLER);
}
// Each constructor and destructor of a hierarchy writes it.  Also where that is there already: what
// a block held before it was handed out differs from run to run.
ORRERY_HOOK(void, "__tsan_vptr_update", vptr_update, (void** pointer, void* /*value*/)) {
  access(pointer, sizeof *pointer, true, ORRERY_FIND_CALLER);
}

ORRERY_HOOK(void*, "__tsan_memcpy", tsan_memcpy, (void* to, const void* from, std::size_t size)) {
  range(from, size, false, ORRERY_FIND_CALLER);
  range(to, size, true, ORRERY_FIND_CALLER);
  return std::memcpy(to, from, size);
}
ORRERY_HOOK(void*, "__tsan_memmove", tsan_memmove, (void* to, const void* from, std::size_t size)) {
  range(from, size, false, ORRERY_FIND_CALLER);
  range(to, size, true, ORRERY_FIND_CALLER);
  return std::memmove(to, from, size);
}
ORRERY_HOOK(void*, "__tsan_memset", tsan_memset, (void* to, int value, std::size_t size)) {
  range(to, size, true, ORRERY_FIND_CALLER);
  return std::memset(to, value, size);
}
