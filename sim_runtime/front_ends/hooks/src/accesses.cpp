// The memory accesses of `-fsanitize=thread`.
#include <cstring>

#include "atomic_hooks.hpp"

namespace {

// Programs consist of what is inlined here.
[[gnu::always_inline]] inline bool is_told(const OrreryHooks* hooks, std::uint64_t address,
                                           std::uint64_t size, bool is_write) {
  const OrreryToldWord* const word = orrery_told_word(hooks->told, address);
  return word != nullptr &&
         orrery_is_told(*word, hooks->stretch, orrery_told_bits(address, size, is_write));
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

// False: there is no word for some of it.
bool note(const OrreryHooks* hooks, std::uint64_t address, std::uint64_t size, bool is_write) {
  return for_each_word(address, size, [=](std::uint64_t part, std::uint64_t bytes) {
    OrreryToldWord* const word = orrery_told_word(hooks->told, part);
    if (word == nullptr) return false;
    *word = orrery_told_too(*word, hooks->stretch, orrery_told_bits(part, bytes, is_write));
    return true;
  });
}

// What is not told yet.
[[gnu::noinline]] void tell(OrreryHooks* hooks, std::uint64_t address, std::uint64_t size,
                            bool is_write, std::uintptr_t caller) {
  const OrreryAccess access{
      address | (is_write ? ORRERY_ACCESS_WRITE : 0) | size << ORRERY_ACCESS_ADDRESS_BITS, caller};
  OrreryAccess* const next = hooks->next;
  if (next == hooks->end || !note(hooks, address, size, is_write)) {
    return hooks->access(hooks, access);
  }
  *next = access;
  hooks->next = next + 1;
}

// What may lie in several words.
[[gnu::noinline]] void tell_if_new(OrreryHooks* hooks, std::uint64_t address, std::uint64_t size,
                                   bool is_write, std::uintptr_t caller) {
  const bool is_old = for_each_word(address, size, [=](std::uint64_t part, std::uint64_t bytes) {
    return is_told(hooks, part, bytes, is_write);
  });
  if (!is_old) tell(hooks, address, size, is_write, caller);
}

[[gnu::always_inline]] inline void access(const volatile void* place, std::uint64_t size,
                                          bool is_write, std::uintptr_t caller) {
  OrreryHooks* const hooks = orrery_hooks_slot;
  if (__builtin_expect(static_cast<long>(hooks == nullptr), 0) != 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  if (size == 16 && (address & 7U) == 0) {
    // What vectorised loops do.
    if (is_told(hooks, address, 8, is_write) && is_told(hooks, address + 8, 8, is_write)) return;
    return tell(hooks, address, size, is_write, caller);
  }
  if ((address & 7U) + size > 8) return tell_if_new(hooks, address, size, is_write, caller);
  if (!is_told(hooks, address, size, is_write)) tell(hooks, address, size, is_write, caller);
}

void range(const void* address, std::size_t size, bool is_write, std::uintptr_t caller) {
  OrreryHooks* const hooks = orrery_hooks_slot;
  if (hooks == nullptr) return;
  auto place = reinterpret_cast<std::uintptr_t>(address);
  while (size > 0) {
    const std::size_t piece = size < ORRERY_ACCESS_SIZE_MAX ? size : ORRERY_ACCESS_SIZE_MAX;
    tell_if_new(hooks, place, piece, is_write, caller);
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
