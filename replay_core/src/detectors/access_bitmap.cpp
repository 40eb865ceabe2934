#include "access_bitmap.hpp"

namespace orrery::detail {

AccessBitmap::Regions::const_iterator AccessBitmap::first_region(Address address) const {
  return std::ranges::lower_bound(regions_, address / region_bytes, {},
                                  [](const auto& region) { return region->number; });
}

AccessBitmap::Leaf& AccessBitmap::leaf_at(Address address) {
  auto found = first_region(address);
  if (found == regions_.end() || (*found)->number != address / region_bytes) {
    auto region = std::make_unique<Region>();
    region->number = address / region_bytes;
    region->used_words.fill(all_words);
    found = regions_.insert(found, std::move(region));
    used_bytes_ += sizeof(Region);
  }
  const std::size_t i = address % region_bytes / leaf_bytes;
  std::unique_ptr<Leaf>& leaf = (*found)->leaves[i];
  if (leaf == nullptr) {
    leaf = std::make_unique<Leaf>();
    (*found)->used |= std::uint64_t{1} << i;
    used_bytes_ += sizeof(Leaf);
    ++leaf_count_;
  }
  return *leaf;
}

template <typename Function>
void AccessBitmap::for_each_word(AddressRange range, const Function& function) const {
  for (auto region = first_region(range.begin); region != regions_.end(); ++region) {
    const Address region_begin = (*region)->number * region_bytes;
    if (region_begin >= range.end) return;
    for (std::uint64_t used = (*region)->used; used != 0; used &= used - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(used));
      const Address leaf_begin = region_begin + i * leaf_bytes;
      if (leaf_begin >= range.end || leaf_begin + leaf_bytes <= range.begin) continue;
      Leaf& leaf = *(*region)->leaves[i];
      const Address begin = std::max(leaf_begin, range.begin) / word_bytes * word_bytes;
      const Address end = std::min(leaf_begin + leaf_bytes, range.end);
      for (Address word = begin; word < end; word += word_bytes) {
        function(word, leaf.words[word % leaf_bytes / word_bytes]);
      }
    }
  }
}

void AccessBitmap::remove(AddressRange range) {
  for_each_word(range,
                [&](Address begin, std::uint64_t& word) { word &= ~mask_within(begin, range); });
}

AccessSummary AccessBitmap::close() {
  // Beyond, hardly a bit of it would be left.
  constexpr std::size_t leaves_max = 32;
  AccessSummary summary;
  if (leaf_count_ > leaves_max) summary.add_all();
  for (const auto& region : regions_) {
    for (std::uint64_t used = region->used; used != 0; used &= used - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(used));
      const Address first_word = (region->number * region_bytes + i * leaf_bytes) / word_bytes;
      unsigned words = 0;
      for (unsigned k = 0; k < leaf_bytes / word_bytes; ++k) {
        if (region->leaves[i]->words[k] == 0) continue;
        words |= 1U << k;
        if (leaf_count_ <= leaves_max) summary.add_word(first_word + k);
      }
      region->used_words[i] = static_cast<WordMask>(words);
    }
  }
  return summary;
}

bool AccessBitmap::has_any(AddressRange range) const {
  bool has = false;
  for_each_word(range, [&](Address begin, std::uint64_t word) {
    has |= (word & mask_within(begin, range)) != 0;
  });
  return has;
}

}  // namespace orrery::detail
