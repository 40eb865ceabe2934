// The memory that one thread gets from malloc: at the same addresses on real cores and in a replay.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "user_heap.hpp"

namespace orrery::host {

/// A part of the range of `HeapSpans`, for one thread.  Where a block lies depends on nothing but
/// what this thread has allocated and freed before: so it needs no lock, and real threads that do
/// so at once get the same addresses as tasks that take turns.
///
/// A block that another thread has allocated is this one's from when this one frees it, to be
/// handed out again; it never goes back, since when its owner would see it is open.  The price:
/// where some threads allocate and others free, memory is not used again until the former's parts
/// are full.  Then they get more (`extend_by`), until there is none: `allocate` says so, and the
/// caller has other memory.
///
/// The spans of a part are its thread's.  Others look at those of blocks that they were given,
/// which do not change while the blocks are not free.
class ThreadArena {
 public:
  using Release = UserHeap::Release;
  /// Is called before so much of a block is read or written, which others may know that have not
  /// noticed that it was freed.
  struct Touched {
    const void* block;
    std::size_t bytes;
    bool is_write;
  };
  using Touch = void (*)(const Touched& touched);
  /// Which accesses that is: those to the lists of free blocks, which lie in the blocks' first
  /// `list_bytes`, or those to what is in blocks, too, where it is cleared or copied.
  enum class Telling : std::uint8_t { none, lists, contents };
  static constexpr std::size_t list_bytes = sizeof(FreeBlock);

  constexpr ThreadArena() = default;
  ThreadArena(const ThreadArena&) = delete;
  ThreadArena& operator=(const ThreadArena&) = delete;

  /// In a range that is reserved, and where `whole` is charged.  False: there is no part of that
  /// number.
  bool begin(std::uint32_t number, HeapSpans& whole);
  /// The same in a range that is closed, and without a limit.
  bool begin_closed(std::uint32_t number);
  /// Parts that are left for threads whose own is full, by number from 0 on.
  struct More {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  static const std::uint32_t parts_for_more;
  /// How many it takes for a block of so many bytes, and for others besides.
  [[nodiscard]] static std::uint32_t parts_wanted(std::size_t bytes);
  /// The part that is a thread's own, if it is one of those; nothing: it has another.
  [[nodiscard]] static std::optional<std::uint32_t> own_part_for_more(std::uint32_t number);
  /// As the two above.  False: there are no such parts.
  bool begin(More more, HeapSpans& whole);
  bool begin_closed(More more);
  /// Is called when there is no room for so many bytes: gives an arena that has begun, which this
  /// one hands out from then on, too.  Null: there is none.
  using Extend = ThreadArena* (*)(std::size_t bytes);
  void extend_by(Extend extend) { extend_ = extend; }
  /// Units up to this one are no arena's.
  static constexpr std::size_t first_arena_unit = std::size_t{1} << 22U;
  /// Can the block be one of any arena, of an address in the range?
  [[nodiscard]] static bool is_in_arenas(const void* block) {
    return HeapSpans::unit_of(block) >= first_arena_unit;
  }

  void tell(Telling telling, Touch touch) {
    telling_ = telling;
    touch_ = touch;
  }
  [[nodiscard]] bool tells_contents() const { return telling_ == Telling::contents; }
  /// Where contents are told: this much of the block is about to be read.
  void tell_read(const void* block, std::size_t bytes) const {
    if (tells_contents() && bytes > 0) touch_({block, bytes, /*is_write=*/false});
  }

  // As those of `UserHeap`; all arenas' blocks can be freed and given another size.

  /// `filled_bytes`: whoever asks writes so much of it next, and nobody else will tell.
  void* allocate(std::size_t bytes, std::size_t filled_bytes = 0) {
    if (bytes > UserHeap::small_bytes_max) return allocate_large(bytes, filled_bytes);
    if (telling_ != Telling::none) tell_next(bytes, filled_bytes);
    FreeBlock*& first = adopted_[UserHeap::class_of(bytes)];
    if (first == nullptr) {
      void* const own = heap_.allocate(bytes);
      return own != nullptr ? own : allocate_more(bytes, filled_bytes);
    }
    FreeBlock* const block = first;
    first = block->next;
    block->mark = 0;
    return block;
  }
  void* allocate_zeroed(std::size_t bytes);
  void* allocate_aligned(std::size_t boundary, std::size_t bytes);
  void* reallocate(void* block, std::size_t bytes);
  /// Has the block so much room where it lies, or got it?
  [[nodiscard]] bool resize(void* block, std::size_t bytes) {
    if (is_in_part(block)) return heap_.resize(block, bytes);
    if (is_own(block)) return more_->resize(block, bytes);
    const std::size_t old_bytes = usable_bytes(block);
    return bytes <= old_bytes && bytes > old_bytes / 2;
  }
  Release release(void* block) {
    if (telling_ != Telling::none) tell_release(block);
    Span* const span = UserHeap::span_of(block);
    // It is free if it says so, in whose list it may be: no content of a block that is handed out
    // can be the mark of its own address.
    if (span == nullptr || is_marked(*span, block)) return refusal_of(block);
    return is_in_part(block) ? heap_.release(block) : release_other(span, block);
  }
  [[nodiscard]] static bool is_free(const void* block);
  [[nodiscard]] static std::size_t usable_bytes(const void* block) {
    const Span* const span = UserHeap::span_of(block);
    if (span == nullptr) return 0;
    return span->kind == Span::Kind::small ? span->object_bytes
                                           : span->units * HeapSpans::unit_bytes;
  }
  /// A thread without an arena frees it: nobody gets it again.
  static Release drop(void* block);

  /// All blocks are gone, and their memory is zero.
  void reset();
  /// What has been handed out lies in there.
  [[nodiscard]] const HeapSpans& spans() const { return heap_.spans(); }

 private:
  /// Of a thread by its number: the first one may have most.
  struct Part {
    std::size_t first_unit = 0;
    std::size_t units = 0;  ///< none: there are no more
  };
  static constexpr Part part_of(std::uint32_t number);
  static constexpr Part part_of(More more);
  void take(const Part& part);
  bool begin(const Part& part, HeapSpans& whole);
  bool begin_closed(const Part& part);
  /// The next one in a row of arenas; null: there is none.
  ThreadArena* more_for(std::size_t bytes);
  [[gnu::noinline]] void* allocate_more(std::size_t bytes, std::size_t filled_bytes);
  [[gnu::noinline]] Release release_other(Span* span, void* block);
  /// Of a held block: it is not in use.  Real threads charge nobody but themselves.
  bool charge(const Span& span) {
    return !is_limited_ || heap_.spans().charge(span.units * HeapSpans::unit_bytes);
  }
  void discharge(const Span& span) {
    if (is_limited_) heap_.spans().discharge(span.units * HeapSpans::unit_bytes);
  }

  [[nodiscard]] bool is_in_part(const void* block) const {
    return reinterpret_cast<std::uintptr_t>(block) - begin_ < bytes_;
  }
  [[nodiscard]] bool is_own(const void* block) const {
    return is_in_part(block) || (more_ != nullptr && more_->is_own(block));
  }
  [[nodiscard]] static bool is_marked(const Span& span, const void* block) {
    return span.kind == Span::Kind::small &&
           static_cast<const FreeBlock*>(block)->mark == UserHeap::mark_of(block);
  }
  [[gnu::noinline]] static Release refusal_of(const void* block) {
    return is_free(block) ? Release::already_free : Release::not_a_block;
  }
  [[gnu::noinline]] void tell_next(std::size_t bytes, std::size_t filled_bytes);
  [[gnu::noinline]] void tell_release(const void* block) const;
  void tell_filled(const void* block, std::size_t bytes) const {
    if (tells_contents() && bytes > 0) touch_({block, bytes, /*is_write=*/true});
  }
  [[gnu::noinline]] Release adopt(Span* span, void* block);
  [[gnu::noinline]] void* allocate_large(std::size_t bytes, std::size_t filled_bytes);
  /// One of those that are held; null: none is about that long.
  void* take_held(std::size_t bytes);

  UserHeap heap_;
  Telling telling_ = Telling::none;
  Touch touch_ = nullptr;
  std::uintptr_t begin_ = 0;
  std::size_t bytes_ = 0;
  bool is_limited_ = false;
  Extend extend_ = nullptr;
  ThreadArena* more_ = nullptr;
  std::array<FreeBlock*, UserHeap::class_count> adopted_{};  ///< by size class
  std::array<Span*, HeapSpans::bin_count> held_{};  ///< large ones; their pages are given back
};

}  // namespace orrery::host
