#include "image_patches.hpp"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "raw_system_calls.hpp"

namespace orrery::detail {
namespace {

constexpr std::size_t page_words = image_page_bytes / sizeof(std::uint64_t);

std::size_t bytes_of_places(std::size_t words) {
  return (words * sizeof(std::uint16_t) + 7) / 8 * 8;
}

}  // namespace

PagePatches::PagePatches(WorkingMemory& memory)
    : slots_(memory.take<Slot>(slot_count)),
      kept_(memory.take<std::byte>(kept_max * image_page_bytes)),
      added_(memory, added_bytes_max) {}

void PagePatches::begin_group() {
  raw_system_call(SYS_madvise, as_argument(slots_), slot_count * sizeof *slots_, MADV_DONTNEED);
  kept_count_ = 0;
  added_.clear();
}

// There is always one that is free.
std::size_t PagePatches::slot_of(std::uint64_t page) const {
  constexpr std::uint64_t multiplier = 0x9e37'79b9'7f4a'7c15;
  static_assert(slot_count == std::size_t{1} << 15U);
  std::size_t slot = page * multiplier >> 49U;
  while (slots_[slot].page != 0 && slots_[slot].page != page + 1) slot = (slot + 1) % slot_count;
  return slot;
}

void PagePatches::keep(std::uint64_t page, const std::byte* content) {
  Slot& slot = slots_[slot_of(page)];
  if (slot.page == 0) {
    if (kept_count_ == kept_max) return;
    slot = {page + 1, kept_count_++};
  }
  std::memcpy(kept_ + slot.kept * image_page_bytes, content, image_page_bytes);
}

bool PagePatches::add(std::uint64_t page, const std::byte* content) {
  const Slot& slot = slots_[slot_of(page)];
  if (slot.page == 0 || is_full()) return false;
  const std::byte* const kept = kept_ + slot.kept * image_page_bytes;
  std::uint16_t places[words_max];
  std::uint64_t words[words_max];
  std::size_t count = 0;
  for (std::size_t i = 0; i < page_words; ++i) {
    std::uint64_t now = 0;
    std::uint64_t before = 0;
    std::memcpy(&now, content + i * sizeof now, sizeof now);
    std::memcpy(&before, kept + i * sizeof before, sizeof before);
    if (now == before) continue;
    if (count == words_max) return false;
    places[count] = static_cast<std::uint16_t>(i);
    words[count++] = now;
  }
  const PatchHeader header{page, count};
  const auto append = [this](const void* bytes, std::size_t size, std::size_t whole) {
    std::memset(added_.end(), 0, whole);
    std::memcpy(added_.end(), bytes, size);
    added_.grow(whole);
  };
  append(&header, sizeof header, sizeof header);
  append(places, count * sizeof *places, bytes_of_places(count));
  append(words, count * sizeof *words, count * sizeof *words);
  return true;
}

void PagePatch::apply_to(std::byte* content) const {
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::memcpy(content + places[i] * sizeof words[i], &words[i], sizeof words[i]);
  }
}

bool read_patches(std::span<const std::byte> content, std::vector<PagePatch>& into) {
  while (!content.empty()) {
    PatchHeader header{};
    if (content.size() < sizeof header) return false;
    std::memcpy(&header, content.data(), sizeof header);
    content = content.subspan(sizeof header);
    if (header.words > PagePatches::words_max) return false;
    const std::size_t bytes_before = bytes_of_places(header.words);
    const std::size_t bytes = bytes_before + header.words * sizeof(std::uint64_t);
    if (content.size() < bytes) return false;
    PagePatch& patch = into.emplace_back();
    patch.page = header.page;
    patch.places.resize(header.words);
    patch.words.resize(header.words);
    std::memcpy(patch.places.data(), content.data(), header.words * sizeof(std::uint16_t));
    std::memcpy(patch.words.data(), content.data() + bytes_before,
                header.words * sizeof(std::uint64_t));
    if (std::ranges::any_of(patch.places, [](std::uint16_t at) { return at >= page_words; })) {
      return false;
    }
    content = content.subspan(bytes);
  }
  return true;
}

}  // namespace orrery::detail
