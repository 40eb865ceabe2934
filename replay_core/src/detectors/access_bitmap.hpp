// Sets of bytes of memory, as bitmaps of three levels.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Which words a bitmap has, by a hash of their places: tells most pairs that have nothing in
/// common apart without a look at their bits.
class AccessSummary {
 public:
  void add_word(Address word) {
    const std::uint64_t hash = word * 0x9e3779b97f4a7c15U >> 55U;
    bits_[hash / 64] |= std::uint64_t{1} << hash % 64;
  }
  void add_all() { bits_.fill(~std::uint64_t{0}); }
  [[nodiscard]] bool may_meet(const AccessSummary& other) const {
    std::uint64_t both = 0;
    for (std::size_t i = 0; i < bits_.size(); ++i) both |= bits_[i] & other.bits_[i];
    return both != 0;
  }

 private:
  std::array<std::uint64_t, 8> bits_{};
};

/// Which bytes were accessed in a segment (Ronsse, Christiaens, De Bosschere, fig. 1): two levels
/// of pointers, then the bits.  The first level is a sorted list and no table, since addresses have
/// 48 bits and most segments touch a few regions.
class AccessBitmap {
 public:
  class KnownLeaves;

  /// `known` is of this bitmap alone, until it is cleared.
  void add(Address address, std::uint64_t size_bytes, KnownLeaves& known);
  void add(Address address, std::uint64_t size_bytes) {
    for_each_part(address, size_bytes, [this](Address begin, std::uint64_t bits) {
      leaf_at(begin).words[begin % leaf_bytes / word_bytes] |= bits;
    });
  }
  void remove(AddressRange range);
  [[nodiscard]] bool has_any(AddressRange range) const;
  /// Has nothing been added?
  [[nodiscard]] bool is_empty() const { return regions_.empty(); }
  /// Nothing more will be added: comparisons need not look at words that have nothing.
  AccessSummary close();
  /// What it takes in memory.
  [[nodiscard]] std::size_t used_bytes() const { return used_bytes_; }

  /// Calls `function(AddressRange)` for the bytes of `range` that are in both, in order; those that
  /// follow one another may come in pieces.
  template <typename Function>
  void for_each_common(const AccessBitmap& other, AddressRange range,
                       const Function& function) const;

 private:
  static constexpr Address word_bytes = 64;
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

  static constexpr std::uint64_t mask(Address first, std::uint64_t count) {
    return (~std::uint64_t{0} >> (word_bytes - count)) << first;
  }
  /// The bits of this word of a leaf that lie in the range.
  static std::uint64_t mask_within(Address word_begin, AddressRange range) {
    const Address begin = std::max(word_begin, range.begin);
    const Address end = std::min(word_begin + word_bytes, range.end);
    return begin < end ? mask(begin - word_begin, end - begin) : 0;
  }
  [[nodiscard]] Regions::const_iterator first_region(Address address) const;
  /// Calls `function(address, bits)` for each word that the bytes touch.
  template <typename Function>
  static void for_each_part(Address address, std::uint64_t size_bytes, const Function& function);
  Leaf& leaf_at(Address address);
  /// Calls `function(word's address, word)` for the words of leaves that are there.
  template <typename Function>
  void for_each_word(AddressRange range, const Function& function) const;
  template <typename Function>
  static void for_each_run(Address word_begin, std::uint64_t bits, const Function& function);
  template <typename Function>
  static void common_leaf(Address leaf_begin, const Leaf& one, const Leaf& other, WordMask words,
                          AddressRange range, const Function& function);

  Regions regions_;  ///< sorted by number
  std::size_t used_bytes_ = 0;
  std::size_t leaf_count_ = 0;
};

/// Where the leaves are that one bitmap was added to lately: loops that walk through several
/// regions come back to the same few again and again.
class AccessBitmap::KnownLeaves {
 public:
  /// The next bitmap begins.
  void clear() { ++bitmap_; }

 private:
  friend class AccessBitmap;
  struct Entry {
    Address number = 0;  ///< of the leaf
    std::uint64_t bitmap = 0;
    Leaf* leaf = nullptr;
  };
  std::uint64_t bitmap_ = 1;
  std::array<Entry, 2048> entries_{};
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

inline void AccessBitmap::add(Address address, std::uint64_t size_bytes, KnownLeaves& known) {
  const auto add_part = [&](Address begin, std::uint64_t bits) {
    const Address number = begin / leaf_bytes;
    KnownLeaves::Entry& entry = known.entries_[number % known.entries_.size()];
    if (entry.number != number || entry.bitmap != known.bitmap_) {
      entry = {number, known.bitmap_, &leaf_at(begin)};
    }
    entry.leaf->words[begin % leaf_bytes / word_bytes] |= bits;
  };
  const Address bit = address % word_bytes;
  if (bit + size_bytes <= word_bytes) return add_part(address, mask(bit, size_bytes));
  for_each_part(address, size_bytes, add_part);
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

template <typename Function>
void AccessBitmap::common_leaf(Address leaf_begin, const Leaf& one, const Leaf& other,
                               WordMask words, AddressRange range, const Function& function) {
  for (unsigned left = words; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t both = one.words[i] & other.words[i];
    if (both == 0) continue;
    const Address word_begin = leaf_begin + i * word_bytes;
    for_each_run(word_begin, both & mask_within(word_begin, range), function);
  }
}

template <typename Function>
void AccessBitmap::for_each_common(const AccessBitmap& other, AddressRange range,
                                   const Function& function) const {
  auto one = first_region(range.begin);
  auto two = other.first_region(range.begin);
  while (one != regions_.end() && two != other.regions_.end()) {
    const Address number = std::min((*one)->number, (*two)->number);
    if (number * region_bytes >= range.end) return;
    if ((*one)->number == (*two)->number) {
      for (std::uint64_t both = (*one)->used & (*two)->used; both != 0; both &= both - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(both));
        const auto words = static_cast<WordMask>((*one)->used_words[i] & (*two)->used_words[i]);
        if (words == 0) continue;
        common_leaf(number * region_bytes + i * leaf_bytes, *(*one)->leaves[i], *(*two)->leaves[i],
                    words, range, function);
      }
    }
    const bool moves_one = (*one)->number == number;
    if ((*two)->number == number) ++two;
    if (moves_one) ++one;
  }
}

}  // namespace orrery::detail
