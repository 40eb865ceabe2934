#include "image_memory.hpp"

#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <sys/syscall.h>

#include <orrery/network_model/usage_error.hpp>

#include "image_format.hpp"
#include "raw_system_calls.hpp"

namespace orrery::detail {
namespace {

// Between the heaps and mappings of programs and the stacks of their tasks, which have fixed
// places, too; elsewhere if something is there.
constexpr std::uintptr_t first_choice = 0x2300'0000'0000;
constexpr std::uint64_t multiplier = 0x9e37'79b9'7f4a'7c15;

}  // namespace

WorkingMemory::WorkingMemory(std::size_t bytes) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  const auto map = [bytes](std::uintptr_t place, int how) {
    return raw_system_call(SYS_mmap, static_cast<long>(place), static_cast<long>(bytes),
                           PROT_READ | PROT_WRITE, how, -1, 0);
  };
  long place = map(first_choice, flags | MAP_FIXED_NOREPLACE);
  if (place < 0 && place > -4096) place = map(0, flags);
  if (place < 0 && place > -4096) {
    throw UsageError(std::strerror(static_cast<int>(-place)), "checkpoints",
                     "they need addresses for tables: raise the limit on virtual memory");
  }
  begin_ = static_cast<std::uintptr_t>(place);
  end_ = begin_ + bytes;
  next_ = begin_;
}

void* WorkingMemory::take_bytes(std::size_t bytes) {
  const std::uintptr_t place = next_;
  next_ += (bytes + image_page_bytes - 1) / image_page_bytes * image_page_bytes;
  ensure(next_ <= end_, "the tables of the image writer have room", static_cast<long long>(bytes));
  return reinterpret_cast<void*>(place);
}

PageTable::PageTable(WorkingMemory& memory)
    : blocks_(memory.take<Block>(blocks_max)), slots_(memory.take<std::uint32_t>(slots)) {}

void PageTable::clear() {
  const auto drop = [](void* begin, std::size_t bytes) {
    raw_system_call(SYS_madvise, as_argument(begin), static_cast<long>(bytes), MADV_DONTNEED);
  };
  drop(blocks_, block_count_ * sizeof(Block));
  drop(slots_, slots * sizeof *slots_);
  // Pages are given up whole: what shares the last one with them is nobody's.
  block_count_ = 0;
  last_ = nullptr;
}

PageTable::Block* PageTable::block_of(std::uint64_t number) {
  if (last_ != nullptr && last_->number == number) return last_;
  std::size_t slot = number * multiplier >> 45U;
  static_assert(slots == std::size_t{1} << 19U);
  while (slots_[slot] != 0) {
    Block& block = blocks_[slots_[slot] - 1];
    if (block.number == number) return last_ = &block;
    slot = (slot + 1) % slots;
  }
  if (block_count_ == blocks_max) return nullptr;
  Block& block = blocks_[block_count_];
  block.number = number;
  slots_[slot] = static_cast<std::uint32_t>(++block_count_);
  return last_ = &block;
}

std::uint64_t* PageTable::see(std::uint64_t page) {
  Block* const block = block_of(page / block_pages);
  if (block == nullptr) return nullptr;
  if (block->image != image_) {
    block->image = image_;
    for (std::uint64_t& seen : block->seen) seen = 0;
  }
  const std::uint64_t within = page % block_pages;
  block->seen[within / 64] |= std::uint64_t{1} << within % 64;
  return &block->entries[within];
}

}  // namespace orrery::detail
