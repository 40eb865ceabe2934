#include "told_memory.hpp"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>

namespace orrery::host {
namespace {

constexpr std::uint64_t word_bytes = 8;
constexpr std::uint64_t told_per_word = 2;
constexpr std::uint64_t word_mask = (ORRERY_TOLD_ADDRESSES - 1) & ~(word_bytes - 1);
// The marks of one are a page of the processor's.
constexpr std::uint64_t page_bytes_log2 = 14;
constexpr std::uint64_t page_told_bytes = (std::uint64_t{1} << page_bytes_log2) / 4;
constexpr std::uint64_t page_count = ORRERY_TOLD_ADDRESSES >> page_bytes_log2;
// Behind the last address there is room for what begins before it.
constexpr std::uint64_t told_bytes = ORRERY_TOLD_BYTES + 4 * page_told_bytes;
constexpr std::uint64_t reserved_bytes = told_bytes + page_count + 4;
// Far from what programs have, and from where their addresses would be others because of it.
constexpr std::uintptr_t first_choice = 0x2800'0000'0000;

// Of two words.
std::uint8_t two_untold[2 * told_per_word];  // NOLINT: hooks write where they read
std::uint8_t two_told[2 * told_per_word] = {255, 255, 255, 255};  // NOLINT: as above

std::uint64_t marked_address(const OrreryAccess& access) {
  return access.place & (ORRERY_TOLD_ADDRESSES - 1);
}

}  // namespace

ToldMemory::Place ToldMemory::nothing_told() {
  return {two_untold, 0};
}

ToldMemory::Place ToldMemory::all_told() {
  return {two_told, 0};
}

ToldMemory::Place ToldMemory::place() const {
  return {told_, word_mask};
}

bool ToldMemory::reserve() {
  if (told_ != nullptr || was_refused_) return told_ != nullptr;
  void* const memory =
      mmap(reinterpret_cast<void*>(first_choice), reserved_bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  was_refused_ = memory == MAP_FAILED;
  if (was_refused_) return false;
  madvise(memory, reserved_bytes, MADV_DONTDUMP);
  told_ = static_cast<std::uint8_t*>(memory);
  is_kept_ = told_ + told_bytes;
  return true;
}

ToldMemory::~ToldMemory() {
  if (told_ != nullptr) munmap(told_, reserved_bytes);
}

void ToldMemory::mark(std::uint64_t address, std::uint64_t bytes, bool is_write) {
  if (told_ == nullptr) return;
  constexpr std::size_t marked_max = 1024;
  if (marked_.size() >= marked_max) {
    keep(marked_);
    marked_.clear();
  }
  marked_.push_back(
      {(address & (ORRERY_TOLD_ADDRESSES - 1)) | bytes << ORRERY_ACCESS_ADDRESS_BITS, 0});
  const std::uint64_t behind = address + bytes;
  while (address < behind) {
    const std::uint64_t part = std::min(word_bytes - address % word_bytes, behind - address);
    *orrery_told(told_, word_mask, address, is_write) |= orrery_told_bits(address, part);
    address += part;
  }
}

void ToldMemory::keep(std::span<const OrreryAccess> marked) {
  for (const OrreryAccess& one : marked) {
    const std::uint64_t first = marked_address(one) >> page_bytes_log2;
    const std::uint64_t last = (marked_address(one) + orrery_access_bytes(one)) >> page_bytes_log2;
    // None is so long that it has further pages, but for a few.
    if ((is_kept_[first] & is_kept_[last]) == 0 || last - first > 1) keep_pages(first, last);
  }
}

void ToldMemory::keep_pages(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t page = first; page <= last; ++page) {
    if (is_kept_[page] != 0) continue;
    is_kept_[page] = 1;
    pages_.push_back(page);
  }
}

void ToldMemory::clear(std::span<const OrreryAccess> marked) const {
  std::uint8_t* const told = told_;
  for (const OrreryAccess& one : marked) {
    const std::uint64_t address = marked_address(one);
    std::memset(told + address / word_bytes * told_per_word, 0, told_per_word);
    const std::uint64_t end_in_word = address % word_bytes + orrery_access_bytes(one);
    if (end_in_word > word_bytes) clear_words(address, end_in_word);  // as very few do
  }
}

void ToldMemory::clear_words(std::uint64_t address, std::uint64_t end_in_word) const {
  const std::uint64_t words = (end_in_word + word_bytes - 1) / word_bytes;
  std::memset(told_ + address / word_bytes * told_per_word, 0, words * told_per_word);
}

void ToldMemory::forget(std::span<const OrreryAccess> marked) {
  if (told_ == nullptr) return;
  if (pages_.empty()) {
    clear(marked);
  } else {
    keep(marked);
    for (const std::uint64_t page : pages_) {
      std::memset(told_ + page * page_told_bytes, 0, page_told_bytes);
      is_kept_[page] = 0;
    }
    pages_.clear();
  }
  clear(marked_);
  marked_.clear();
}

}  // namespace orrery::host
