// malloc and its kin: a program's memory is `user_heap`, all else the C library's.
//
// Who calls decides who allocates; the address decides who frees.  Where AddressSanitizer's runtime
// is loaded (for a program that was built with it), memory is its business alone; where this very
// command is built with it, these functions do not exist.
#include "caller.hpp"
#include "memory/program_memory.hpp"

#ifndef ORRERY_HAS_ADDRESS_SANITIZER

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <malloc.h>
#include <unistd.h>

#include "memory/given_blocks.hpp"
#include "memory/pages.hpp"
#include "programs/program_copy.hpp"
#include "ranks/next_function.hpp"

using orrery::host::are_blocks_watched;
using orrery::host::asks_user_heap;
using orrery::host::filled_block;
using orrery::host::from_programs_heap;
using orrery::host::given;
using orrery::host::guarded_runtime;
using orrery::host::next_function;
using orrery::host::page_bytes;
using orrery::host::program_modules;
using orrery::host::rank_memory;
using orrery::host::release_to_owner;
using orrery::host::running;
using orrery::host::ThreadArena;
using orrery::host::user_heap;
using orrery::host::UserHeap;

extern "C" {
// The C library's own, which need no search by name when the process starts.
void* __libc_malloc(std::size_t bytes) noexcept;
void* __libc_calloc(std::size_t count, std::size_t bytes) noexcept;
void* __libc_realloc(void* block, std::size_t bytes) noexcept;
void* __libc_memalign(std::size_t boundary, std::size_t bytes) noexcept;
void __libc_free(void* block) noexcept;
// AddressSanitizer's; all or none of them are there.
[[gnu::weak]] void* __interceptor_malloc(std::size_t bytes) noexcept;
[[gnu::weak]] void* __interceptor_calloc(std::size_t count, std::size_t bytes) noexcept;
[[gnu::weak]] void* __interceptor_realloc(void* block, std::size_t bytes) noexcept;
[[gnu::weak]] void* __interceptor_memalign(std::size_t boundary, std::size_t bytes) noexcept;
[[gnu::weak]] void __interceptor_free(void* block) noexcept;
[[gnu::weak]] std::size_t __interceptor_malloc_usable_size(void* block) noexcept;
}

namespace {

// The ways of the host's own calls end in a jump: it costs them two branches, and a sanitizer that
// looks up the stack finds the caller.

/// Before the program frees it.
void note_end_of(void* block, std::uintptr_t caller) {
  if (are_blocks_watched()) {
    const std::size_t bytes = user_heap.usable_bytes(block);
    running().hooks->come_to_end(block, bytes, caller);
    running().hooks->end_block(block, bytes, caller);
  }
}

bool is_power_of_two(std::size_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

bool runs_no_program() {
  return __builtin_expect(static_cast<long>(running().user == nullptr), 1) != 0;
}

[[gnu::always_inline]] inline void* own_malloc(std::size_t bytes) noexcept {
  return __builtin_expect(static_cast<long>(__interceptor_malloc != nullptr), 0) != 0
             ? __interceptor_malloc(bytes)
             : __libc_malloc(bytes);
}

[[gnu::always_inline]] inline void* own_calloc(std::size_t count, std::size_t bytes) noexcept {
  return __builtin_expect(static_cast<long>(__interceptor_calloc != nullptr), 0) != 0
             ? __interceptor_calloc(count, bytes)
             : __libc_calloc(count, bytes);
}

void* own_memalign(std::size_t boundary, std::size_t bytes) noexcept {
  return __interceptor_memalign != nullptr ? __interceptor_memalign(boundary, bytes)
                                           : __libc_memalign(boundary, bytes);
}

[[gnu::always_inline]] inline void own_free(void* block) noexcept {
  if (__builtin_expect(static_cast<long>(__interceptor_free != nullptr), 0) != 0) {
    __interceptor_free(block);
  } else {
    __libc_free(block);
  }
}

void* own_realloc(void* block, std::size_t bytes) noexcept {
  return __interceptor_realloc != nullptr ? __interceptor_realloc(block, bytes)
                                          : __libc_realloc(block, bytes);
}

std::size_t own_usable_size(void* block) noexcept {
  if (__interceptor_malloc_usable_size != nullptr) return __interceptor_malloc_usable_size(block);
  static const auto next = next_function<std::size_t (*)(void*)>("malloc_usable_size");
  return next(block);
}

/// A block that cannot be freed: the program's mistake, where it is the program that frees it.
[[gnu::noinline]] void refuse(const void* block, const char* what, std::uintptr_t caller) {
  auto* const user = running().user;
  if (user == nullptr || !program_modules.are_programs(caller)) return;
  char text[96];
  std::snprintf(text, sizeof text, "%p is %s", block, what);
  {
    const orrery::host::HostScope ours;
    user->last_words = text;
  }
  guarded_runtime().finding("crash", user->last_words.c_str(), caller);
}

void refuse(const void* block, UserHeap::Release reason, std::uintptr_t caller) {
  const bool is_second = reason == UserHeap::Release::already_free;
  refuse(block, is_second ? "freed a second time" : "freed, which no allocation has given", caller);
}

/// The C library gives memory away, too (`getline`): its own checks see what it has not given.
/// They end the process; so what is known better is said here.
[[gnu::noinline]] void free_of_library(void* block, std::uintptr_t caller) noexcept {
  if (block == nullptr) return;
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto& now = running();
  const bool is_on_stack = now.thread != nullptr && at >= frame && at < now.thread->first_frame;
  if (is_on_stack) refuse(block, "freed, and lies on the thread's stack", caller);
  if (now.user->copy().contains(block)) refuse(block, "freed, and is a variable", caller);
  own_free(block);
}

void* aligned(std::size_t boundary, std::size_t bytes, std::uintptr_t caller) {
  if (!asks_user_heap(caller)) return own_memalign(boundary, bytes);
  return given(from_programs_heap(
      [boundary, bytes](auto& heap) { return heap.allocate_aligned(boundary, bytes); }));
}

[[gnu::always_inline]] inline void* new_block(std::size_t bytes) {
  return from_programs_heap([bytes](auto& heap) { return heap.allocate(bytes); });
}

[[gnu::always_inline]] inline UserHeap::Release release_block(void* block) {
  return release_to_owner(block, [block](auto& heap) { return heap.release(block); });
}

/// What is in a block now; where others may have a turn before it is written elsewhere, a copy.
class BlockContent {
 public:
  BlockContent(const void* block, std::size_t bytes, bool may_change) {
    if (!may_change) {
      content_ = block;
      return;
    }
    content_ = copy_ = own_malloc(bytes);
    if (copy_ != nullptr) std::memcpy(copy_, block, bytes);
  }
  ~BlockContent() { own_free(copy_); }
  BlockContent(const BlockContent&) = delete;
  BlockContent& operator=(const BlockContent&) = delete;
  /// Null: there is no room for it.
  [[nodiscard]] const void* get() const { return content_; }

 private:
  const void* content_ = nullptr;
  void* copy_ = nullptr;
};

/// The block of a thread's arena, or a new one from elsewhere if there is no room in that.
void* moved_from_arena(void* block, std::size_t old_bytes, std::size_t bytes) {
  ThreadArena* const arena = orrery::host::programs_arena();
  if (arena != nullptr && arena->resize(block, bytes)) return block;
  const std::size_t kept_bytes = std::min(old_bytes, bytes);
  const bool tells_contents = arena != nullptr && arena->tells_contents();
  if (tells_contents) arena->tell_read(block, kept_bytes);
  const BlockContent content(block, kept_bytes, tells_contents);
  if (content.get() == nullptr) return nullptr;
  void* const moved = filled_block(bytes, kept_bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, content.get(), kept_bytes);
  release_block(block);
  return moved;
}

/// A block of the program's gets another size.
void* resized(void* block, std::size_t bytes, std::uintptr_t caller) {
  if (bytes == 0) {
    note_end_of(block, caller);
    const auto result = release_block(block);
    if (result != UserHeap::Release::done) refuse(block, result, caller);
    return nullptr;
  }
  const bool is_in_arena = rank_memory.is_in_arenas(block);
  const ThreadArena* const arena = is_in_arena ? orrery::host::programs_arena() : nullptr;
  if (arena != nullptr) arena->tell_read(block, ThreadArena::list_bytes);
  if (is_in_arena ? ThreadArena::is_free(block) : user_heap.is_free(block)) {
    refuse(block, "given another size, and has been freed", caller);
  } else if (user_heap.usable_bytes(block) == 0) {
    refuse(block, UserHeap::Release::not_a_block, caller);
    return given(nullptr);
  }
  const std::size_t old_bytes = user_heap.usable_bytes(block);
  if (are_blocks_watched()) running().hooks->come_to_end(block, old_bytes, caller);
  void* const result = is_in_arena ? moved_from_arena(block, old_bytes, bytes)
                                   : rank_memory.owner_of(block).reallocate(block, bytes);
  if (result == block) return block;
  if (result != nullptr && are_blocks_watched()) {
    running().hooks->end_block(block, old_bytes, caller);
  }
  return given(result);
}

[[gnu::noinline]] void* malloc_in_program(std::size_t bytes, std::uintptr_t caller) noexcept {
  if (!asks_user_heap(caller)) return own_malloc(bytes);
  return given(new_block(bytes));
}

[[gnu::noinline]] void* calloc_in_program(std::size_t count, std::size_t bytes,
                                          std::uintptr_t caller) noexcept {
  if (!asks_user_heap(caller)) return own_calloc(count, bytes);
  std::size_t whole = 0;
  if (__builtin_mul_overflow(count, bytes, &whole)) return given(nullptr);
  return given(from_programs_heap([whole](auto& heap) { return heap.allocate_zeroed(whole); }));
}

[[gnu::noinline]] void programs_free(void* block, std::uintptr_t caller) noexcept {
  note_end_of(block, caller);
  const auto result = release_block(block);
  if (__builtin_expect(static_cast<long>(result != UserHeap::Release::done), 0) == 0) return;
  refuse(block, result, caller);
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
  return runs_no_program() ? own_malloc(bytes) : malloc_in_program(bytes, ORRERY_CALLER);
}

void free(void* block) noexcept {
  if (__builtin_expect(static_cast<long>(user_heap.contains(block)), 0) != 0) {
    programs_free(block, ORRERY_CALLER);
  } else if (runs_no_program()) {
    own_free(block);
  } else {
    free_of_library(block, ORRERY_CALLER);
  }
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return runs_no_program() ? own_calloc(count, bytes)
                           : calloc_in_program(count, bytes, ORRERY_CALLER);
}

void* realloc(void* block, std::size_t bytes) noexcept {
  if (user_heap.contains(block)) return resized(block, bytes, ORRERY_CALLER);
  if (block == nullptr && asks_user_heap(ORRERY_CALLER)) return given(new_block(bytes));
  return own_realloc(block, bytes);
}

void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t whole = 0;
  if (__builtin_mul_overflow(count, bytes, &whole)) return given(nullptr);
  if (user_heap.contains(block)) return resized(block, whole, ORRERY_CALLER);
  if (block == nullptr && asks_user_heap(ORRERY_CALLER)) return given(new_block(whole));
  return own_realloc(block, whole);
}

void* memalign(std::size_t boundary, std::size_t bytes) noexcept {
  std::size_t power = 1;  // as the C library does, it is rounded up
  while (power < boundary && power << 1U != 0) power <<= 1U;
  return aligned(power, bytes, ORRERY_CALLER);
}

void* aligned_alloc(std::size_t boundary, std::size_t bytes) noexcept {
  if (asks_user_heap(ORRERY_CALLER) && !is_power_of_two(boundary)) {
    errno = EINVAL;
    return nullptr;
  }
  return aligned(boundary, bytes, ORRERY_CALLER);
}

int posix_memalign(void** result, std::size_t boundary, std::size_t bytes) noexcept {
  if (!is_power_of_two(boundary) || boundary % sizeof(void*) != 0) return EINVAL;
  const int former = errno;
  void* const block = aligned(boundary, bytes, ORRERY_CALLER);
  errno = former;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

void* valloc(std::size_t bytes) noexcept {
  return aligned(page_bytes, bytes, ORRERY_CALLER);
}

void* pvalloc(std::size_t bytes) noexcept {
  if (bytes > SIZE_MAX - page_bytes) return given(nullptr);
  return aligned(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes, ORRERY_CALLER);
}

std::size_t malloc_usable_size(void* block) noexcept {
  if (block == nullptr) return 0;
  return user_heap.contains(block) ? user_heap.usable_bytes(block) : own_usable_size(block);
}

// How the C library keeps its own memory is nothing to a program.
int mallopt(int parameter, int value) noexcept {
  if (running().user != nullptr) return 1;
  return next_function<int (*)(int, int)>("mallopt")(parameter, value);
}

int malloc_trim(std::size_t kept) noexcept {
  if (running().user != nullptr) return 0;
  return next_function<int (*)(std::size_t)>("malloc_trim")(kept);
}
}

#endif

extern "C" {
extern const char orrery_interposed_memory;
const char orrery_interposed_memory = 0;
}
