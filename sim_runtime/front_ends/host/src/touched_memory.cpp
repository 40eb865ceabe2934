#include "touched_memory.hpp"

#include <algorithm>

namespace orrery::host {

std::uint32_t& TouchedMemory::toucher_of(std::uintptr_t granule) {
  const std::uintptr_t number = granule / page_granules;
  Recent& recent = recent_[number % recent_.size()];
  if (recent.number != number) {
    auto& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    recent = {number, page.get()};
  }
  return (*recent.page)[granule % page_granules];
}

bool TouchedMemory::touch(std::uintptr_t address, std::size_t bytes, std::uint32_t task) {
  bool is_shared = false;
  const std::uintptr_t last = (address + std::max<std::size_t>(bytes, 1) - 1) / granule_bytes;
  for (std::uintptr_t granule = address / granule_bytes; granule <= last; ++granule) {
    std::uint32_t& toucher = toucher_of(granule);
    if (toucher == task) continue;
    is_shared |= toucher != 0;
    toucher = toucher == 0 ? task : several;
  }
  return is_shared;
}

void TouchedMemory::forget(std::uintptr_t begin, std::uintptr_t end) {
  const std::uintptr_t last = end / granule_bytes;
  std::uintptr_t granule = begin / granule_bytes;
  for (auto page = pages_.lower_bound(granule / page_granules);
       page != pages_.end() && page->first * page_granules < last; ++page) {
    const std::uintptr_t first_of_page = page->first * page_granules;
    const std::uintptr_t from = std::max(granule, first_of_page) - first_of_page;
    const std::uintptr_t to = std::min(last, first_of_page + page_granules) - first_of_page;
    std::fill(page->second->begin() + from, page->second->begin() + to, 0);
  }
}

void TouchedMemory::clear() {
  pages_.clear();
  recent_ = {};
}

}  // namespace orrery::host
