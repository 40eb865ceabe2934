// Pages of which few words have changed, in images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "image_format.hpp"
#include "image_memory.hpp"

namespace orrery::detail {

/// What differs from the page as the group has it whole, one after the other in records `patches`:
/// this, `words` places of 16 bits, filled up to whole words, and as many words.
struct PatchHeader {
  std::uint64_t page;
  std::uint64_t words;
};

/// Pages that were written whole more than once in a group are kept besides, so that from then on
/// what has changed can be told.
class PagePatches {
 public:
  static constexpr std::size_t words_max =
      128;  ///< of a page's 512; what has more is written whole

  explicit PagePatches(WorkingMemory& memory);

  /// Nothing is kept any more.
  void begin_group();
  /// Adds what `content` differs in from the page that is kept; false: none is kept, or too much.
  bool add(std::uint64_t page, const std::byte* content);
  /// Keeps the page as it is written whole, or does not, where there is no room.
  void keep(std::uint64_t page, const std::byte* content);
  [[nodiscard]] bool keeps(std::uint64_t page) const {
    return slots_[slot_of(page)].page == page + 1;
  }

  /// Has to be written before more is added.
  [[nodiscard]] bool is_full() const { return added_.room_left() < entry_bytes_max; }
  [[nodiscard]] std::span<const std::byte> added() const { return added_.bytes(); }
  void clear_added() { added_.clear(); }

 private:
  static constexpr std::size_t kept_max = 16384;
  static constexpr std::size_t slot_count = kept_max * 2;
  static constexpr std::size_t entry_bytes_max = sizeof(PatchHeader) + words_max * 10;
  static constexpr std::size_t added_bytes_max = batch_pages * image_page_bytes;

  struct Slot {
    std::uint64_t page;  ///< plus 1; 0: none
    std::uint64_t kept;
  };
  [[nodiscard]] std::size_t slot_of(std::uint64_t page) const;

  Slot* slots_;
  std::byte* kept_;
  std::size_t kept_count_ = 0;
  WorkingArray<std::byte> added_;
};

/// One page's, read.
struct PagePatch {
  std::uint64_t page = 0;
  std::vector<std::uint16_t> places;
  std::vector<std::uint64_t> words;
  void apply_to(std::byte* content) const;
};

/// Reads what a record `patches` holds; false: it makes no sense.
bool read_patches(std::span<const std::byte> content, std::vector<PagePatch>& into);

}  // namespace orrery::detail
