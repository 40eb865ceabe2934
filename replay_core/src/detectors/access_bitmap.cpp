#include "access_bitmap.hpp"

#include <utility>

namespace orrery::detail {

AccessBitmap::Regions::const_iterator AccessBitmap::first_region(Address address) const {
  return std::ranges::lower_bound(regions_, address / region_bytes, {},
                                  [](const auto& region) { return region->number; });
}

std::vector<AccessBitmap::Word>::const_iterator AccessBitmap::first_word(Address address) const {
  return std::ranges::lower_bound(words_, address / word_bytes * word_bytes, {}, &Word::begin);
}

std::uint64_t AccessBitmap::word_at(Address word) const {
  const auto found = first_region(word);
  if (found == regions_.end() || (*found)->number != word / region_bytes) return 0;
  const Leaf* const leaf = (*found)->leaves[word % region_bytes / leaf_bytes].get();
  return leaf != nullptr ? leaf->words[place_in_leaf(word)] : 0;
}

// --- adding -------------------------------------------------------------------------------------

AccessBitmap::Leaf& AccessBitmap::leaf_at(Address address, KnownLeaves* known) {
  const auto take = [](auto& from, auto& to) {
    if (from.empty()) return false;
    to = std::move(from.back());
    from.pop_back();
    return true;
  };
  auto found = first_region(address);
  if (found == regions_.end() || (*found)->number != address / region_bytes) {
    std::unique_ptr<Region> region;
    if (known == nullptr || !take(known->free_regions_, region)) {
      region = std::make_unique<Region>();
    }
    region->number = address / region_bytes;
    region->used_words.fill(all_words);
    found = regions_.insert(found, std::move(region));
    used_bytes_ += sizeof(Region);
  }
  const std::size_t i = address % region_bytes / leaf_bytes;
  std::unique_ptr<Leaf>& leaf = (*found)->leaves[i];
  if (leaf == nullptr) {
    if (known == nullptr || !take(known->free_leaves_, leaf)) leaf = std::make_unique<Leaf>();
    (*found)->used |= std::uint64_t{1} << i;
    used_bytes_ += sizeof(Leaf);
    ++leaf_count_;
  }
  return *leaf;
}

void AccessBitmap::add(Address address, std::uint64_t size_bytes) {
  for_each_part(address, size_bytes, [this](Address begin, std::uint64_t bits) {
    leaf_at(begin, nullptr).words[place_in_leaf(begin)] |= bits;
  });
}

void AccessBitmap::add(std::span<const MemoryAccess> accesses, AccessBitmap& reads,
                       AccessBitmap& writes, KnownLeaves& known) {
  const std::uint64_t segment = known.segment_;
  for (const MemoryAccess& one : accesses) {
    const Address address = one.address();
    const std::uint64_t size_bytes = one.size_bytes();
    const std::uint64_t key = segment | address / leaf_bytes;
    const KnownLeaves::Entry& entry = known.entry(one.kind(), key);
    const Address bit = address % word_bytes;
    if (entry.key != key || bit + size_bytes > word_bytes) {
      (one.kind() == AccessKind::write ? writes : reads).add_slowly(one, known);
      continue;
    }
    entry.leaf->words[place_in_leaf(address)] |= mask(bit, size_bytes);
  }
}

void AccessBitmap::add_slowly(const MemoryAccess& access, KnownLeaves& known) {
  for_each_part(access.address(), access.size_bytes(), [&](Address begin, std::uint64_t bits) {
    const std::uint64_t key = known.segment_ | begin / leaf_bytes;
    KnownLeaves::Entry& entry = known.entry(access.kind(), key);
    if (entry.key != key) entry = {key, &leaf_at(begin, &known)};
    entry.leaf->words[place_in_leaf(begin)] |= bits;
  });
}

// --- closing ------------------------------------------------------------------------------------

AccessSummary AccessBitmap::look_for_words() {
  // Beyond, hardly a bit of it would be left.
  constexpr std::size_t leaves_max = 16;
  AccessSummary summary;
  if (leaf_count_ > leaves_max) summary.add_all();
  for (const auto& region : regions_) {
    for (std::uint64_t used = region->used; used != 0; used &= used - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(used));
      const Address first = (region->number * region_bytes + i * leaf_bytes) / word_bytes;
      unsigned words = 0;
      for (unsigned k = 0; k < leaf_bytes / word_bytes; ++k) {
        if (region->leaves[i]->words[k] == 0) continue;
        words |= 1U << k;
        ++word_count_;
        if (leaf_count_ <= leaves_max) summary.add_word(first + k);
      }
      region->used_words[i] = static_cast<WordMask>(words);
    }
  }
  return summary;
}

void AccessBitmap::flatten(KnownLeaves& known) {
  std::vector<Word> words;
  words.reserve(word_count_);
  for_each_used([&](Address begin, std::uint64_t bits) { words.push_back({begin, bits}); });
  for (std::unique_ptr<Region>& region : regions_) {
    for (std::uint64_t used = region->used; used != 0; used &= used - 1) {
      std::unique_ptr<Leaf>& leaf = region->leaves[static_cast<unsigned>(std::countr_zero(used))];
      *leaf = {};
      if (known.free_leaves_.size() < KnownLeaves::kept_max) {
        known.free_leaves_.push_back(std::move(leaf));
      }
      leaf.reset();
    }
    region->used = 0;
    if (known.free_regions_.size() < KnownLeaves::kept_max) {
      known.free_regions_.push_back(std::move(region));
    }
  }
  regions_.clear();
  words_ = std::move(words);
  used_bytes_ = word_count_ * sizeof(Word);
}

AccessSummary AccessBitmap::close(KnownLeaves& known) {
  const AccessSummary summary = look_for_words();
  // One that has lost all that it had keeps its regions: it is not empty.
  if (word_count_ > 0 && word_count_ * sizeof(Word) < used_bytes_) flatten(known);
  return summary;
}

// --- looking ------------------------------------------------------------------------------------

template <typename Bitmap, typename Function>
void AccessBitmap::for_each_word(Bitmap& bitmap, AddressRange range, const Function& function) {
  const auto first = bitmap.first_word(range.begin) - bitmap.words_.begin();
  for (auto word = bitmap.words_.begin() + first; word != bitmap.words_.end(); ++word) {
    if (word->begin >= range.end) return;
    function(word->begin, word->bits);
  }
  for (auto region = bitmap.first_region(range.begin); region != bitmap.regions_.end(); ++region) {
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
        function(word, leaf.words[place_in_leaf(word)]);
      }
    }
  }
}

void AccessBitmap::remove(AddressRange range) {
  for_each_word(*this, range,
                [&](Address begin, std::uint64_t& word) { word &= ~mask_within(begin, range); });
}

bool AccessBitmap::has_any(AddressRange range) const {
  bool has = false;
  for_each_word(*this, range, [&](Address begin, std::uint64_t word) {
    has |= (word & mask_within(begin, range)) != 0;
  });
  return has;
}

}  // namespace orrery::detail
