// What AddressSanitizer has to hear from code that switches stacks, jumps, and unmaps stacks, and
// what it tells of an error.
//
// All of it does nothing in programs without AddressSanitizer.  Whether it is there is seen when
// the program is linked or loaded, since a program built with it may use a library of ours that
// was not.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom,
                                                  std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom,
                                                   std::size_t* bytes);
[[gnu::weak]] void __asan_handle_no_return();
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* memory, std::size_t bytes);
// Where it writes its reports, and what it says of the one that it is writing.  All or none of them
// are there.
[[gnu::weak]] void __sanitizer_set_report_fd(void* file_descriptor);
[[gnu::weak]] void __asan_set_error_report_callback(void (*callback)(const char* text));
[[gnu::weak]] const char* __asan_get_report_description();
[[gnu::weak]] void* __asan_get_report_address();
[[gnu::weak]] std::size_t __asan_get_report_access_size();
[[gnu::weak]] int __asan_get_report_access_type();
}

namespace orrery::detail {

/// The present stack is about to be left for another one.  Where its frames are kept meanwhile
/// (AddressSanitizer's "fake stack") goes to `fake_stack`.
inline void leaving_stack(void** fake_stack, const void* next_bottom, std::size_t next_bytes) {
  if (__sanitizer_start_switch_fiber == nullptr) return;
  __sanitizer_start_switch_fiber(fake_stack, next_bottom, next_bytes);
}

/// The first thing after a switch: here is the stack that was left with this `fake_stack`.
inline void entered_stack(void* fake_stack) {
  if (__sanitizer_finish_switch_fiber == nullptr) return;
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}

/// A stack will never be entered again: frees its `fake_stack`.  Called on another stack, since on
/// the ended one there may be frames that lie in what is freed.  A fake stack is freed in no other
/// way than by a switch that leaves it for good: so this pretends a visit.
inline void forget_stack(void* fake_stack, const void* bottom, std::size_t bytes,
                         const void* own_bottom, std::size_t own_bytes) {
  if (fake_stack == nullptr) return;
  void* own_fake_stack = nullptr;
  leaving_stack(&own_fake_stack, bottom, bytes);
  entered_stack(fake_stack);
  leaving_stack(nullptr, own_bottom, own_bytes);
  entered_stack(own_fake_stack);
}

/// The frames between this one and the top of the stack may be left without returning.
inline void leaving_frames() {
  if (__asan_handle_no_return != nullptr) __asan_handle_no_return();
}

/// The memory will be unmapped; who gets these addresses next must not find marks of old frames.
inline void forget_memory(const void* memory, std::size_t bytes) {
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(memory, bytes);
}

}  // namespace orrery::detail
