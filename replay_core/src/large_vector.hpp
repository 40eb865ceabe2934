// Arrays that may hold millions: in large pages of memory, where the system has some.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace orrery::detail {

/// Blocks of so many bytes and more get large pages: a fault for each 2 MiB in place of 512, and as
/// much fewer addresses for the processor to look up.
inline constexpr std::size_t large_block_bytes = std::size_t{1} << 20U;

/// Throws `std::bad_alloc`.
[[nodiscard]] void* take_large_block(std::size_t bytes);
void give_back_large_block(void* block);

/// An allocator of the standard library's.
template <typename T>
class LargePages {
 public:
  using value_type = T;

  LargePages() = default;
  template <typename Other>
  LargePages(const LargePages<Other>& /*other*/) {}  // NOLINT(*-explicit-*): as allocators do

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T);
    void* const block = bytes < large_block_bytes ? ::operator new(bytes) : take_large_block(bytes);
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < large_block_bytes) return ::operator delete(block);
    give_back_large_block(block);
  }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

template <typename T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace orrery::detail
