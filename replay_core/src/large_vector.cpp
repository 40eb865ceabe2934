#include "large_vector.hpp"

#include <sys/mman.h>

namespace orrery::detail {
namespace {

constexpr std::size_t large_page_bytes = std::size_t{2} << 20U;

}  // namespace

void* take_large_block(std::size_t bytes) {
  const std::size_t pages = (bytes + large_page_bytes - 1) / large_page_bytes;
  void* const block = ::operator new (pages* large_page_bytes, std::align_val_t{large_page_bytes});
  // Refused by a system without them: then its pages are as any.
  madvise(block, pages * large_page_bytes, MADV_HUGEPAGE);
  return block;
}

void give_back_large_block(void* block) {
  ::operator delete (block, std::align_val_t{large_page_bytes});
}

}  // namespace orrery::detail
