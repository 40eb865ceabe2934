// System calls without the C library: for code that must not touch its state, and for a program
// that has none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::detail {

#if defined(__x86_64__)
inline constexpr bool has_raw_system_calls = true;

/// The kernel's answer: negative error numbers are failures.
inline long raw_system_call(long number, long first = 0, long second = 0, long third = 0,
                            long fourth = 0, long fifth = 0, long sixth = 0) {
  register long r10 asm("r10") = fourth;
  register long r8 asm("r8") = fifth;
  register long r9 asm("r9") = sixth;
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}
#else
inline constexpr bool has_raw_system_calls = false;

inline long raw_system_call(long, long = 0, long = 0, long = 0, long = 0, long = 0, long = 0) {
  return -38;  // ENOSYS
}
#endif

/// An address as an argument of a system call.
inline long as_argument(const void* place) {
  return static_cast<long>(reinterpret_cast<std::uintptr_t>(place));
}

}  // namespace orrery::detail
