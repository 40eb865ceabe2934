// The memory that simulated programs get from malloc: at the same addresses in every run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heap_spans.hpp"

namespace orrery::host {

/// A small allocator over one range of addresses, for one thread.
///
/// Blocks of up to 32 KiB have one of 40 sizes; those of one size share a span, whose first word
/// of each free block leads to the next free one.  Larger blocks are spans of their own.  A span
/// that is empty is merged with its neighbours and may become anything.  Nothing is taken from the
/// system but the range itself, and where a block lies depends on nothing but the calls so far.
///
/// Design after D. Leijen, B. Zorn, L. de Moura: Mimalloc (2019), whose lists of free blocks are
/// per page; ours has one thread, so one list a span, and neighbours are merged.
///
///     UserHeap heap;                       // all zero; reserves nothing yet
///     heap.reset(UserHeap::no_limit);      // a run begins
///     void* block = heap.allocate(100);
///     heap.release(block);
class UserHeap {
 public:
  static constexpr std::size_t no_limit = SIZE_MAX;
  static constexpr std::size_t small_bytes_max = 32 * 1024;
  static constexpr std::size_t alignment = 16;

  /// How giving a block back went.
  enum class Release : std::uint8_t { done, already_free, not_a_block };

  constexpr UserHeap() = default;
  UserHeap(const UserHeap&) = delete;
  UserHeap& operator=(const UserHeap&) = delete;

  /// At least so many bytes, aligned to 16; null if the limit, or the range, has no more.
  void* allocate(std::size_t bytes) {
    if (bytes <= small_bytes_max) {
      Span* const span = classes_[class_of(bytes)].current;
      if (span != nullptr) {
        if (FreeBlock* const block = span->free) {
          span->free = block->next;
          block->mark = 0;
          ++span->used;
          return block;
        }
        if (span->bump != span->end) {
          auto* const block = reinterpret_cast<FreeBlock*>(span->bump);
          block->mark = 0;  // left by an earlier span here
          span->bump += span->object_bytes;
          ++span->used;
          return block;
        }
      }
      return allocate_small(class_of(bytes));
    }
    return allocate_large(bytes, 1);
  }
  /// The block of up to `small_bytes_max` bytes that is next, if it has been handed out before, as
  /// this block or, where such count, as a part of others; else null.
  [[nodiscard]] const void* next_used(std::size_t bytes, bool counts_parts);
  void* allocate_zeroed(std::size_t bytes);
  /// A block of which so much is still to be zeroed.
  struct Unzeroed {
    void* block = nullptr;
    std::size_t bytes_left = 0;
  };
  /// Of more than `small_bytes_max` bytes.
  Unzeroed allocate_large_to_zero(std::size_t bytes);
  /// `boundary` is a power of two.
  void* allocate_aligned(std::size_t boundary, std::size_t bytes);
  /// Null: there is no room, and the old block stays.  `block` is one that `usable_bytes` knows.
  void* reallocate(void* block, std::size_t bytes);
  /// Has that block, of this heap, so much room where it lies, or got it?
  [[nodiscard]] bool resize(void* block, std::size_t bytes);
  /// `block` lies in the range.
  Release release(void* block) {
    Span* const span = span_of(block);
    if (span == nullptr || span->kind != Span::Kind::small) return release_slowly(block);
    auto* const free = static_cast<FreeBlock*>(block);
    if (free->mark == mark_of(block) && is_in_free_list(*span, block)) {
      return Release::already_free;
    }
    free->next = span->free;
    free->mark = mark_of(block);
    span->free = free;
    if (--span->used == 0 || span->is_full) settle(*span);
    return Release::done;
  }
  /// What the block has room for; 0: there is no such block.
  [[nodiscard]] std::size_t usable_bytes(const void* block) const;
  /// Has the block been given back, and to nobody else since?
  [[nodiscard]] bool is_free(const void* block) const;
  /// Does the address lie in the range, be it of a block or not?
  [[nodiscard]] bool contains(const void* place) const { return spans_.contains(place); }
  /// False: the range is taken, or the system has no room for it; there will be no blocks.
  bool reserve() { return spans_.reserve(); }
  /// The spans, for whoever shares them out among several heaps.
  [[nodiscard]] HeapSpans& spans() { return spans_; }
  [[nodiscard]] const HeapSpans& spans() const { return spans_; }

  /// All blocks are gone, and their memory is zero, as if it had never been touched.  From now on
  /// no more than `limit_bytes` are handed out.
  void reset(std::size_t limit_bytes);
  /// Counts memory against the limit that is not the heap's; false: it would be too much.
  bool charge(std::size_t bytes) { return spans_.charge(bytes); }
  void discharge(std::size_t bytes) { spans_.discharge(bytes); }

 private:
  friend class ThreadArena;

  static constexpr std::size_t class_count = 40;
  static constexpr std::size_t table_bytes_max = 1024;

  struct SizeClass {
    Span* current = nullptr;  ///< where blocks are taken from
    Span* partial = nullptr;  ///< others with room
    Span* spare = nullptr;    ///< the one of them that is empty: kept, so that a block that comes
                              ///< and goes does not make and unmake a span
  };

  static constexpr std::size_t computed_class(std::size_t bytes) {
    if (bytes <= 128) return bytes == 0 ? 0 : (bytes - 1) / 16;
    // Four to a doubling: 160, 192, 224, 256, 320, ...
    const auto log = static_cast<std::size_t>(63 - __builtin_clzll(bytes - 1));
    return 8 + (log - 7) * 4 + ((bytes - 1) >> (log - 2) & 3U);
  }
  static constexpr auto make_class_table() {
    std::array<std::uint8_t, table_bytes_max / 16 + 1> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = static_cast<std::uint8_t>(computed_class(i * 16));
    }
    return table;
  }
  static const std::array<std::uint8_t, table_bytes_max / 16 + 1> class_table;
  static std::size_t class_of(std::size_t bytes) {
    return bytes <= table_bytes_max ? class_table[(bytes + 15) / 16] : computed_class(bytes);
  }
  static constexpr std::size_t bytes_of_class(std::size_t index) {
    if (index < 8) return (index + 1) * 16;
    return (std::size_t{5} + (index - 8) % 4) << ((index - 8) / 4 + 5);
  }

  /// What to ask for, so that a small block lies at such a boundary; 0: there is no small one.
  [[nodiscard]] static std::size_t small_bytes_at(std::size_t boundary, std::size_t bytes);

  [[gnu::noinline]] void* allocate_small(std::size_t size_class);
  bool make_room(std::size_t size_class);
  [[gnu::noinline]] void* allocate_large(std::size_t bytes, std::size_t boundary_units);
  [[gnu::noinline]] void settle(Span& span);
  [[gnu::noinline]] Release release_slowly(void* block);
  [[gnu::noinline]] [[nodiscard]] bool is_in_free_list(const Span& span, const void* block) const;
  bool resize_large(Span& span, std::size_t bytes);
  [[nodiscard]] static std::uintptr_t mark_of(const void* block) {
    return reinterpret_cast<std::uintptr_t>(block) ^ 0x9e37'79b9'7f4a'7c15;
  }
  /// The block's span, if it is a block.
  [[nodiscard]] static Span* span_of(const void* block) {
    Span& span = HeapSpans::at(block);
    const std::byte* const begin = HeapSpans::begin_of(span);
    if (span.kind == Span::Kind::large) return block == begin ? &span : nullptr;
    if (span.kind != Span::Kind::small) return nullptr;
    const auto offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(block) - begin);
    if (offset >= static_cast<std::uint64_t>(span.bump - begin)) return nullptr;
    // Exact for every multiple, and never equal for anything else.
    const std::uint64_t index = offset * span.reciprocal >> 32U;
    return index * span.object_bytes == offset ? &span : nullptr;
  }

  HeapSpans spans_;
  std::array<SizeClass, class_count> classes_{};
};

}  // namespace orrery::host
