// What the functions of the C library that read and write their caller's memory have in common.
//
// The second image of a program is linked with `--wrap` for each of them (wrapped.list): a call of
// `memcpy` comes to `__wrap_memcpy`, which tells of the accesses as the caller's and then calls
// `__real_memcpy`, the library's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atomic_hooks.hpp"

extern "C" {
void orrery_read_range(const void*, std::size_t, std::uintptr_t) __asm__("__tsan_read_range_pc");
void orrery_write_range(void*, std::size_t, std::uintptr_t) __asm__("__tsan_write_range_pc");
}

// `__wrap_NAME`, and before it the declaration of `__real_NAME`.
#define ORRERY_WRAP(result, name, parameters)                        \
  extern "C" result real_##name parameters __asm__("__real_" #name); \
  ORRERY_HOOK(result, "__wrap_" #name, wrap_##name, parameters)

namespace orrery::hooks {

inline void reads(const void* from, std::size_t bytes, std::uintptr_t caller) {
  if (bytes > 0) orrery_read_range(from, bytes, caller);
}
inline void writes(void* to, std::size_t bytes, std::uintptr_t caller) {
  if (bytes > 0) orrery_write_range(to, bytes, caller);
}

}  // namespace orrery::hooks
