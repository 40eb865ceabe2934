// Sets of bytes of memory, as bitmaps of three levels.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Which words a bitmap has, by a hash of their places: tells most pairs of small ones that have
/// nothing in common apart without a look at their bits.
class AccessSummary {
 public:
  void add_word(Address word) { bits_ |= std::uint64_t{1} << (word * 0x9e3779b97f4a7c15U >> 58U); }
  void add_all() { bits_ = ~std::uint64_t{0}; }
  [[nodiscard]] bool may_meet(const AccessSummary& other) const {
    return (bits_ & other.bits_) != 0;
  }

 private:
  std::uint64_t bits_ = 0;
};

/// Which bytes were accessed in a segment (Ronsse, Christiaens, De Bosschere, fig. 1): two levels
/// of pointers, then the bits.  The first level is a sorted list and no table, since addresses have
/// 48 bits and most segments touch a few regions.  One that is closed is a sorted list of words
/// where that is smaller: segments between two locks touch a word here and there.
class AccessBitmap {
 public:
  static constexpr Address word_bytes = 64;
  class KnownLeaves;

  /// Adds each to the bitmap of its kind.  `known` is of these two alone, until they are closed.
  static void add(std::span<const MemoryAccess> accesses, AccessBitmap& reads, AccessBitmap& writes,
                  KnownLeaves& known);
  void add(Address address, std::uint64_t size_bytes);
  void remove(AddressRange range);
  [[nodiscard]] bool has_any(AddressRange range) const;
  /// Has nothing been added?
  [[nodiscard]] bool is_empty() const { return regions_.empty() && words_.empty(); }
  /// Nothing more will be added.  What it does not need any more goes to `known`.
  AccessSummary close(KnownLeaves& known);
  /// How many words have something.  Of one that is closed.
  [[nodiscard]] std::size_t word_count() const { return word_count_; }
  /// What it takes in memory.
  [[nodiscard]] std::size_t used_bytes() const { return used_bytes_; }

  /// Calls `function(address, bits)` for the words that have something, in order.  Of one that is
  /// closed.
  template <typename Function>
  void for_each_used(const Function& function) const;
  /// Calls `function(AddressRange)` for the bytes of `range` that are in both, in order; those that
  /// follow one another may come in pieces.
  template <typename Function>
  void for_each_common(const AccessBitmap& other, AddressRange range,
                       const Function& function) const;

 private:
  static constexpr Address leaf_bytes = 1024;
  static constexpr Address region_bytes = 64 * leaf_bytes;

  using WordMask = std::uint16_t;  // of a leaf
  static constexpr WordMask all_words = 0xffff;

  struct Leaf {
    std::array<std::uint64_t, leaf_bytes / word_bytes> words{};
  };
  struct Region {
    Address number = 0;  ///< the address by its size
    std::uint64_t used = 0;
    /// By leaf: words that may have something; known when the bitmap is closed.
    std::array<WordMask, region_bytes / leaf_bytes> used_words;
    std::array<std::unique_ptr<Leaf>, region_bytes / leaf_bytes> leaves;
  };
  using Regions = std::vector<std::unique_ptr<Region>>;
  struct Word {
    Address begin = 0;
    std::uint64_t bits = 0;
  };

  static constexpr std::uint64_t mask(Address first, std::uint64_t count) {
    return (~std::uint64_t{0} >> (word_bytes - count)) << first;
  }
  /// The bits of this word that lie in the range.
  static std::uint64_t mask_within(Address word_begin, AddressRange range) {
    const Address begin = std::max(word_begin, range.begin);
    const Address end = std::min(word_begin + word_bytes, range.end);
    return begin < end ? mask(begin - word_begin, end - begin) : 0;
  }
  static std::size_t place_in_leaf(Address address) { return address % leaf_bytes / word_bytes; }
  [[nodiscard]] Regions::const_iterator first_region(Address address) const;
  [[nodiscard]] std::vector<Word>::const_iterator first_word(Address address) const;
  /// Of one in regions.
  [[nodiscard]] std::uint64_t word_at(Address word) const;
  /// Calls `function(address, bits)` for each word that the bytes touch.
  template <typename Function>
  static void for_each_part(Address address, std::uint64_t size_bytes, const Function& function);
  Leaf& leaf_at(Address address, KnownLeaves* known);
  [[gnu::noinline]] void add_slowly(const MemoryAccess& access, KnownLeaves& known);
  AccessSummary look_for_words();
  void flatten(KnownLeaves& known);
  /// Calls `function(word's address, word)` for the words of `bitmap` that may have something.
  template <typename Bitmap, typename Function>
  static void for_each_word(Bitmap& bitmap, AddressRange range, const Function& function);
  template <typename Function>
  static void for_each_run(Address word_begin, std::uint64_t bits, const Function& function);
  template <typename Function>
  static void common_words(const AccessBitmap& one, const AccessBitmap& other, AddressRange range,
                           const Function& function);
  template <typename Function>
  static void common_regions(const AccessBitmap& one, const AccessBitmap& other, AddressRange range,
                             const Function& function);

  Regions regions_;          ///< sorted by number
  std::vector<Word> words_;  ///< or, closed, these: sorted
  std::size_t used_bytes_ = 0;
  std::uint32_t leaf_count_ = 0;
  std::uint32_t word_count_ = 0;
};

/// Where the leaves are that the two bitmaps of a segment were added to lately: loops that walk
/// through several regions come back to the same few again and again.  And leaves that an earlier
/// segment did not need any more.
class AccessBitmap::KnownLeaves {
 public:
  /// The next segment begins.
  void clear() {
    segment_ += segment_unit;
    if (segment_ != 0) return;
    entries_ = {};
    segment_ = segment_unit;
  }

 private:
  friend class AccessBitmap;
  static constexpr std::uint64_t segment_unit = std::uint64_t{1} << 38U;  // addresses / leaf_bytes
  static constexpr std::size_t entry_count = 2048;
  struct Entry {
    std::uint64_t key = 0;  ///< the leaf's number, and which segment's it is
    Leaf* leaf = nullptr;
  };
  [[nodiscard]] Entry& entry(AccessKind kind, std::uint64_t key) {
    return entries_[kind == AccessKind::write ? 1 : 0][key % entry_count];
  }

  std::uint64_t segment_ = segment_unit;
  std::array<std::array<Entry, entry_count>, 2> entries_{};  ///< by kind of access
  static constexpr std::size_t kept_max = 4096;
  std::vector<std::unique_ptr<Leaf>> free_leaves_;  ///< that have nothing
  Regions free_regions_;                            ///< without leaves
};

template <typename Function>
void AccessBitmap::for_each_part(Address address, std::uint64_t size_bytes,
                                 const Function& function) {
  while (size_bytes > 0) {
    const Address bit = address % word_bytes;
    const std::uint64_t count = std::min(size_bytes, word_bytes - bit);
    function(address, mask(bit, count));
    address += count;
    size_bytes -= count;
  }
}

template <typename Function>
void AccessBitmap::for_each_used(const Function& function) const {
  for (const Word& word : words_) {
    if (word.bits != 0) function(word.begin, word.bits);
  }
  for (const auto& region : regions_) {
    for (std::uint64_t used = region->used; used != 0; used &= used - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(used));
      const Address leaf_begin = region->number * region_bytes + i * leaf_bytes;
      for (unsigned words = region->used_words[i]; words != 0; words &= words - 1) {
        const auto k = static_cast<unsigned>(std::countr_zero(words));
        const std::uint64_t bits = region->leaves[i]->words[k];
        if (bits != 0) function(leaf_begin + k * word_bytes, bits);
      }
    }
  }
}

template <typename Function>
void AccessBitmap::for_each_run(Address word_begin, std::uint64_t bits, const Function& function) {
  while (bits != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(bits));
    const auto count = static_cast<unsigned>(std::countr_one(bits >> first));
    function(AddressRange{word_begin + first, word_begin + first + count});
    bits &= ~mask(first, count);
  }
}

/// Of which the first has words.
template <typename Function>
void AccessBitmap::common_words(const AccessBitmap& one, const AccessBitmap& other,
                                AddressRange range, const Function& function) {
  auto theirs = other.words_.begin();
  for (auto word = one.first_word(range.begin); word != one.words_.end(); ++word) {
    if (word->begin >= range.end) return;
    std::uint64_t both = word->bits & mask_within(word->begin, range);
    if (other.words_.empty()) {
      both &= other.word_at(word->begin);
    } else {
      while (theirs != other.words_.end() && theirs->begin < word->begin) ++theirs;
      if (theirs == other.words_.end()) return;
      both &= theirs->begin == word->begin ? theirs->bits : 0;
    }
    if (both != 0) for_each_run(word->begin, both, function);
  }
}

template <typename Function>
void AccessBitmap::common_regions(const AccessBitmap& one, const AccessBitmap& other,
                                  AddressRange range, const Function& function) {
  auto ours = one.first_region(range.begin);
  auto theirs = other.first_region(range.begin);
  while (ours != one.regions_.end() && theirs != other.regions_.end()) {
    const Region &our = **ours, &their = **theirs;
    const Address number = std::min(our.number, their.number);
    if (number * region_bytes >= range.end) return;
    if (our.number == number) ++ours;
    if (their.number == number) ++theirs;
    if (our.number != their.number) continue;
    for (std::uint64_t both = our.used & their.used; both != 0; both &= both - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(both));
      unsigned words = our.used_words[i] & their.used_words[i];
      for (; words != 0; words &= words - 1) {
        const auto k = static_cast<unsigned>(std::countr_zero(words));
        const std::uint64_t bits = our.leaves[i]->words[k] & their.leaves[i]->words[k];
        if (bits == 0) continue;
        const Address begin = number * region_bytes + i * leaf_bytes + k * word_bytes;
        for_each_run(begin, bits & mask_within(begin, range), function);
      }
    }
  }
}

template <typename Function>
void AccessBitmap::for_each_common(const AccessBitmap& other, AddressRange range,
                                   const Function& function) const {
  if (!words_.empty()) {
    common_words(*this, other, range, function);
  } else if (!other.words_.empty()) {
    common_words(other, *this, range, function);
  } else {
    common_regions(*this, other, range, function);
  }
}

}  // namespace orrery::detail
