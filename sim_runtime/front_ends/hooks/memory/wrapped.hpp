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
// As linkers call them: where the image begins that this is part of, and what comes behind its
// code.
// (`_end` may be that of another image.)
[[gnu::visibility("hidden")]] extern const char orrery_image_begin[] __asm__("__ehdr_start");
[[gnu::visibility("hidden")]] extern const char orrery_behind_code[] __asm__("_DYNAMIC");
void orrery_read_range(const void*, std::size_t, std::uintptr_t) __asm__("__tsan_read_range_pc");
void orrery_write_range(void*, std::size_t, std::uintptr_t) __asm__("__tsan_write_range_pc");
void orrery_read4(const void*, std::uintptr_t) __asm__("__tsan_read4_pc");
void orrery_write4(void*, std::uintptr_t) __asm__("__tsan_write4_pc");
}

namespace orrery::hooks {

inline void reads(const void* from, std::size_t bytes, std::uintptr_t caller) {
  if (bytes > 0) orrery_read_range(from, bytes, caller);
}
inline void writes(void* to, std::size_t bytes, std::uintptr_t caller) {
  if (bytes > 0) orrery_write_range(to, bytes, caller);
}

/// What is there, as the caller reads it: a word, or half of one.
template <typename T>
T load(const T& from, std::uintptr_t caller) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  sizeof(T) == 4 ? orrery_read4(&from, caller) : orrery_read_range(&from, sizeof from, caller);
  return from;
}
template <typename T>
void store(T& to, T value, std::uintptr_t caller) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  sizeof(T) == 4 ? orrery_write4(&to, caller) : orrery_write_range(&to, sizeof to, caller);
  to = value;
}

/// May others have a turn between two accesses that are told one after the other?  So it is where a
/// run is recorded or replayed by its accesses to memory.  Then what was read is what was there at
/// the turn of the read, and has to be kept until it is used.
inline bool come_one_by_one() {
  const OrreryHooks* const hooks = orrery_hooks_slot;
  return __builtin_expect(static_cast<long>(hooks != nullptr), 0) != 0 && hooks->next == hooks->end;
}

/// The same, and it is the library's function: not one that the program itself defines, which runs
/// as it is then.
template <typename Function>
bool come_one_by_one(Function* real) {
  const auto place = reinterpret_cast<std::uintptr_t>(real);
  const bool is_own = place >= reinterpret_cast<std::uintptr_t>(orrery_image_begin) &&
                      place < reinterpret_cast<std::uintptr_t>(orrery_behind_code);
  return come_one_by_one() && !is_own;
}

/// How much of a range lies in the first of its words, which are the units of orders.
inline std::size_t rest_of_word(const char* begin, std::size_t bytes) {
  const std::size_t rest = 8 - reinterpret_cast<std::uintptr_t>(begin) % 8;
  return bytes < rest ? bytes : rest;
}

/// So much is kept at once.
constexpr std::size_t kept_bytes = 2048;
inline std::size_t piece_of(std::size_t bytes) {
  return bytes < kept_bytes ? bytes : kept_bytes;
}

}  // namespace orrery::hooks
