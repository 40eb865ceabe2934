// The memory accesses of `-fsanitize=thread`.
#include <cstring>

#include "atomic_hooks.hpp"

using orrery::hooks::is_attached;

namespace {

constexpr unsigned size_shift = ORRERY_ACCESS_ADDRESS_BITS;

[[gnu::always_inline]] inline void access(const volatile void* address, std::uint64_t size,
                                          std::uint64_t write, std::uintptr_t caller) {
  if (!is_attached()) return;
  OrreryHooks* const hooks = orrery_hooks_slot;
  const OrreryAccess access{reinterpret_cast<std::uintptr_t>(address) | write | size << size_shift,
                            caller};
  OrreryAccess* const next = hooks->next;
  if (__builtin_expect(static_cast<long>(next == hooks->end), 0) != 0) {
    return hooks->access(hooks, access);
  }
  *next = access;
  hooks->next = next + 1;
}

void range(const void* address, std::size_t size, std::uint64_t write, std::uintptr_t caller) {
  const auto* place = static_cast<const char*>(address);
  while (size > 0) {
    const std::size_t piece = size < ORRERY_ACCESS_SIZE_MAX ? size : ORRERY_ACCESS_SIZE_MAX;
    access(place, piece, write, caller);
    place += piece;
    size -= piece;
  }
}

std::uintptr_t at(const void* caller) {
  return reinterpret_cast<std::uintptr_t>(caller);
}

}  // namespace

#define ORRERY_ACCESS(symbol, name, bytes, write)                               \
  ORRERY_HOOK(void, "__tsan_" symbol #bytes, name##_##bytes, (void* address)) { \
    access(address, bytes, write, ORRERY_CALLER);                               \
  }
#define ORRERY_ACCESS_PC(symbol, name, bytes, write)                    \
  ORRERY_HOOK(void, "__tsan_" symbol #bytes "_pc", name##_##bytes##_pc, \
              (void* address, void* caller)) {                          \
    access(address, bytes, write, at(caller));                          \
  }
#define ORRERY_BOTH(symbol, name, bytes)                                        \
  ORRERY_HOOK(void, "__tsan_" symbol #bytes, name##_##bytes, (void* address)) { \
    access(address, bytes, 0, ORRERY_CALLER);                                   \
    access(address, bytes, ORRERY_ACCESS_WRITE, ORRERY_CALLER);                 \
  }
#define ORRERY_ACCESSES(bytes)                                                                    \
  ORRERY_ACCESS("read", read, bytes, 0)                                                           \
  ORRERY_ACCESS("write", write, bytes, ORRERY_ACCESS_WRITE)                                       \
  ORRERY_ACCESS_PC("read", read, bytes, 0)                                                        \
  ORRERY_ACCESS_PC("write", write, bytes, ORRERY_ACCESS_WRITE)                                    \
  ORRERY_ACCESS("unaligned_read", unaligned_read, bytes, 0)                                       \
  ORRERY_ACCESS("unaligned_write", unaligned_write, bytes, ORRERY_ACCESS_WRITE)                   \
  ORRERY_ACCESS("volatile_read", volatile_read, bytes, 0)                                         \
  ORRERY_ACCESS("volatile_write", volatile_write, bytes, ORRERY_ACCESS_WRITE)                     \
  ORRERY_ACCESS("unaligned_volatile_read", unaligned_volatile_read, bytes, 0)                     \
  ORRERY_ACCESS("unaligned_volatile_write", unaligned_volatile_write, bytes, ORRERY_ACCESS_WRITE) \
  ORRERY_BOTH("read_write", read_write, bytes)                                                    \
  ORRERY_BOTH("unaligned_read_write", unaligned_read_write, bytes)

ORRERY_ACCESSES(1)
ORRERY_ACCESSES(2)
ORRERY_ACCESSES(4)
ORRERY_ACCESSES(8)
ORRERY_ACCESSES(16)

ORRERY_HOOK(void, "__tsan_read_range", read_range, (void* address, std::size_t size)) {
  range(address, size, 0, ORRERY_CALLER);
}
ORRERY_HOOK(void, "__tsan_write_range", write_range, (void* address, std::size_t size)) {
  range(address, size, ORRERY_ACCESS_WRITE, ORRERY_CALLER);
}
ORRERY_HOOK(void, "__tsan_read_range_pc", read_range_pc,
            (void* address, std::size_t size, void* caller)) {
  range(address, size, 0, at(caller));
}
ORRERY_HOOK(void, "__tsan_write_range_pc", write_range_pc,
            (void* address, std::size_t size, void* caller)) {
  range(address, size, ORRERY_ACCESS_WRITE, at(caller));
}

ORRERY_HOOK(void, "__tsan_vptr_read", vptr_read, (void** pointer)) {
  access(pointer, sizeof *pointer, 0, ORRERY_CALLER);
}
// Each constructor and destructor of a hierarchy writes it: what is there already is no write.
ORRERY_HOOK(void, "__tsan_vptr_update", vptr_update, (void** pointer, void* value)) {
  if (*pointer != value) access(pointer, sizeof *pointer, ORRERY_ACCESS_WRITE, ORRERY_CALLER);
}

ORRERY_HOOK(void*, "__tsan_memcpy", tsan_memcpy, (void* to, const void* from, std::size_t size)) {
  range(from, size, 0, ORRERY_CALLER);
  range(to, size, ORRERY_ACCESS_WRITE, ORRERY_CALLER);
  return std::memcpy(to, from, size);
}
ORRERY_HOOK(void*, "__tsan_memmove", tsan_memmove, (void* to, const void* from, std::size_t size)) {
  range(from, size, 0, ORRERY_CALLER);
  range(to, size, ORRERY_ACCESS_WRITE, ORRERY_CALLER);
  return std::memmove(to, from, size);
}
ORRERY_HOOK(void*, "__tsan_memset", tsan_memset, (void* to, int value, std::size_t size)) {
  range(to, size, ORRERY_ACCESS_WRITE, ORRERY_CALLER);
  return std::memset(to, value, size);
}
