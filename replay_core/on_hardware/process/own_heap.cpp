// This library's memory.  The linker leads its calls here (see CMakeLists.txt), also those of the
// C++ library's parts that are in it: what a recorder took from the program's heap would change
// where the program's blocks lie, and how often the C library gives memory back to the system and
// has the pages filled again.
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <pthread.h>
#include <sys/mman.h>

#include "own_lock.hpp"

namespace orrery::on_hardware {
namespace {

// A block's size is a power of two, its header included.
constexpr std::size_t smallest_bits = 5;
constexpr std::size_t largest_bits = 16;  ///< beyond, the system is asked for each block
constexpr std::size_t region_bytes = std::size_t{1} << 18U;

struct alignas(16) Header {
  std::size_t bytes = 0;        ///< with this header
  const void* where = nullptr;  ///< the heap, while somebody has the block; else the next free one
};

void* map_pages(std::size_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

class OwnHeap {
 public:
  void* take(std::size_t wanted) {
    if (wanted > PTRDIFF_MAX - sizeof(Header)) return nullptr;
    const std::size_t bytes = wanted + sizeof(Header);
    const auto bits = std::max<std::size_t>(std::bit_width(bytes - 1U), smallest_bits);
    const bool is_large = bits > largest_bits;
    auto* const block = is_large ? static_cast<Header*>(map_pages(bytes)) : take_small(bits);
    if (block == nullptr) return nullptr;
    if (is_large) block->bytes = bytes;
    block->where = this;
    return block + 1;
  }

  void give_back(Header* block) {
    if (block->bytes > std::size_t{1} << largest_bits) {
      munmap(block, block->bytes);
      return;
    }
    lock();
    Header*& free_block = free_blocks_[std::bit_width(block->bytes) - 1U];
    block->where = free_block;
    free_block = block;
    unlock();
  }

  /// What the C library has taken itself is not.
  [[nodiscard]] bool is_ours(const Header* block) const { return block->where == this; }

  /// In a child whose parent had the lock in another thread.  The lists are whole after each store.
  void unlock() { lock_.unlock(); }

 private:
  void lock() { lock_.lock(); }

  Header* take_small(std::size_t bits) {
    lock();
    Header* block = free_blocks_[bits];
    if (block != nullptr) {
      free_blocks_[bits] = static_cast<Header*>(const_cast<void*>(block->where));
    } else {
      block = cut_off(std::size_t{1} << bits);
    }
    unlock();
    return block;
  }

  Header* cut_off(std::size_t bytes) {
    if (region_left_ < bytes) {
      void* const region = map_pages(region_bytes);
      if (region == nullptr) return nullptr;
      region_left_ = 0;  // before the place moves
      region_ = static_cast<std::byte*>(region);
      region_left_ = region_bytes;
    }
    region_left_ -= bytes;
    auto* const block = reinterpret_cast<Header*>(region_ + region_left_);
    block->bytes = bytes;
    return block;
  }

  OwnLock lock_;
  std::array<Header*, largest_bits + 1> free_blocks_{};
  std::byte* region_ = nullptr;
  std::size_t region_left_ = 0;
};

constinit OwnHeap own_heap;  // there before anything asks

__attribute__((constructor)) void unlock_in_children() {
  pthread_atfork(nullptr, nullptr, [] { own_heap.unlock(); });
}

}  // namespace
}  // namespace orrery::on_hardware

using orrery::on_hardware::Header;
using orrery::on_hardware::own_heap;

extern "C" {
void __real_free(void* memory);
void* __real_realloc(void* memory, std::size_t bytes);

void* __wrap_malloc(std::size_t bytes) {
  void* const taken = own_heap.take(bytes);
  if (taken == nullptr) errno = ENOMEM;
  return taken;
}

void __wrap_free(void* memory) {
  if (memory == nullptr) return;
  Header* const block = static_cast<Header*>(memory) - 1;
  if (own_heap.is_ours(block)) {
    own_heap.give_back(block);
  } else {
    __real_free(memory);
  }
}

void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) all = SIZE_MAX;
  void* const taken = __wrap_malloc(all);
  return taken == nullptr ? nullptr : std::memset(taken, 0, all);
}

void* __wrap_realloc(void* memory, std::size_t bytes) {
  if (memory == nullptr) return __wrap_malloc(bytes);
  const Header* const block = static_cast<Header*>(memory) - 1;
  if (!own_heap.is_ours(block)) return __real_realloc(memory, bytes);
  void* const taken = __wrap_malloc(bytes);
  if (taken == nullptr) return nullptr;
  const std::size_t had = block->bytes - sizeof(Header);
  std::memcpy(taken, memory, std::min(had, bytes));
  __wrap_free(memory);
  return taken;
}
}
