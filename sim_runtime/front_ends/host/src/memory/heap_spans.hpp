// The range of addresses behind `UserHeap`, in spans of whole units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace orrery::host {

/// What a free block begins with.
struct FreeBlock {
  FreeBlock* next;
  std::uintptr_t mark;  ///< tells a block that is probably free
};

/// Some units in a row that are used for one thing.  Describes them in the entry of the first; of
/// the others only `head` counts, and in large and free ones only that of the last.  A large one is
/// held where a heap that is not its own has it to hand out again.
struct Span {
  enum class Kind : std::uint8_t { none, free, small, large, held };

  std::uint32_t head = 0;  ///< number of the first unit
  std::uint32_t units = 0;
  Kind kind = Kind::none;
  std::uint8_t size_class = 0;
  bool is_full = false;    ///< of a small one: it is in no list
  bool was_used = false;   ///< of a small one: what lies there may have been handed out before
  std::uint32_t used = 0;  ///< blocks handed out
  std::uint32_t object_bytes = 0;
  std::uint32_t reciprocal = 0;  ///< 2^32 / object_bytes, rounded up
  std::byte* bump = nullptr;     ///< from here on no block has been handed out
  std::byte* end = nullptr;      ///< of the last block there is room for
  FreeBlock* free = nullptr;
  Span* previous = nullptr;  ///< in the list that it is in
  Span* next = nullptr;
};
static_assert(sizeof(Span) == 64, "a line of the cache");

/// Hands out spans, best fit first, and merges those that come back with their neighbours.
class HeapSpans {
 public:
  static constexpr std::size_t unit_shift = 14;
  static constexpr std::size_t unit_bytes = std::size_t{1} << unit_shift;
  /// All heaps of a process would lie here: it has one.  Far from where systems put libraries and
  /// stacks, and what mmap gives, and from AddressSanitizer's shadow.
  static constexpr std::uintptr_t base_address = 0x2000'0000'0000;
  static constexpr std::size_t range_shift = 38;
  static constexpr std::size_t range_bytes = std::size_t{1} << range_shift;
  static constexpr std::size_t units_max = range_bytes / unit_bytes;

  constexpr HeapSpans() = default;
  HeapSpans(const HeapSpans&) = delete;
  HeapSpans& operator=(const HeapSpans&) = delete;

  /// So many units; null if there is no room.  The kind is the caller's to set.
  Span* take(std::size_t units);
  /// The same, at an address that is a multiple of so many units (a power of two).
  Span* take_aligned(std::size_t units, std::size_t boundary_units);
  void give_back(Span& span);
  /// Makes it this long where it lies; false: it cannot be.
  bool resize(Span& span, std::size_t units);

  /// The span in which an address of the range lies; for one inside a large or free span maybe
  /// another one.
  [[nodiscard]] static Span& at(const void* place) {
    return span_array()[span_array()[unit_of(place)].head];
  }
  [[nodiscard]] static std::byte* begin_of(const Span& span) {
    return reinterpret_cast<std::byte*>(base_address) + std::size_t{span.head} * unit_bytes;
  }
  /// Does the address lie in the range, in use or not?
  [[nodiscard]] bool contains(const void* place) const {
    return is_in_range(place) && capacity_units_ > 0;
  }
  /// The same of a range that is known to be sure.
  [[nodiscard]] static bool is_in_range(const void* place) {
    return reinterpret_cast<std::uintptr_t>(place) >> range_shift == base_address >> range_shift;
  }
  /// Makes sure of the range; false: something else lies there, or there is no memory for it.
  bool reserve();
  /// How many units there are, once the range is sure.
  [[nodiscard]] std::size_t capacity_units() const { return capacity_units_; }
  /// From now on these units of the range, which `whole` has reserved, are all that there is.  What
  /// is charged is charged there, too.
  void confine(HeapSpans& whole, std::size_t first_unit, std::size_t units);
  /// The same for a range that `reserve_closed` has reserved: what is used of it is opened.  Nobody
  /// else is charged, so that each of several threads can have such a part.
  void confine_closed(std::size_t first_unit, std::size_t units);
  /// Reserves the whole range, which nobody can access yet.  False: something else lies there, or
  /// addresses are limited.
  [[nodiscard]] static bool reserve_closed();
  /// From now on, and in each run anew, what is used is opened: it may have been closed.
  void open_by_use() {
    opens_by_use_ = true;
    open_units_ = first_unit_;
  }
  /// Has nobody access, or everybody have it again, from this unit of a range on that was reserved.
  static void close_from(std::size_t unit);
  static void open_from(std::size_t unit);
  /// From this unit on there is nothing more; nothing of it has been handed out.
  void end_at(std::size_t unit) { capacity_units_ = unit; }
  /// What has been handed out in this run lies in here.
  [[nodiscard]] std::uintptr_t used_begin() const { return address_of(first_unit_); }
  [[nodiscard]] std::uintptr_t used_end() const { return address_of(used_units_); }
  /// How much of that blocks have which are in use.
  [[nodiscard]] std::size_t taken_bytes() const;
  [[nodiscard]] static constexpr std::uintptr_t address_of(std::size_t unit) {
    return base_address + unit * unit_bytes;
  }
  /// The number of the unit that an address of the range lies in.
  [[nodiscard]] static std::size_t unit_of(const void* place) {
    return (reinterpret_cast<std::uintptr_t>(place) - base_address) >> unit_shift;
  }
  /// Has none of it been used in this run?
  [[nodiscard]] bool is_untouched(const Span& span) const;
  /// Remembers that of each unit so much may have been used.
  void note_touched(const Span& span, std::size_t bytes);

  bool charge(std::size_t bytes);
  void discharge(std::size_t bytes) { account_->charged_bytes_ -= bytes; }
  void reset(std::size_t limit_bytes);

  static constexpr std::size_t exact_bins = 64;
  static constexpr std::size_t bin_count = exact_bins + 32;
  /// Of spans that are about that long.
  static std::size_t bin_of(std::size_t units);

 private:
  // Behind the range: one entry a unit each.
  static constexpr std::uintptr_t notes_address = base_address + range_bytes;
  static constexpr std::size_t span_array_bytes = units_max * sizeof(Span);
  static Span* span_array() { return reinterpret_cast<Span*>(notes_address); }
  /// How many bytes of each unit, from its beginning, may have been used.
  static std::uint16_t* touched_array() {
    return reinterpret_cast<std::uint16_t*>(notes_address + span_array_bytes);
  }
  void put_in_bin(Span& span);
  void take_from_bin(Span& span);
  Span* find_free(std::size_t units);
  Span* extend(std::size_t units);
  Span& make(std::size_t first, std::size_t units, Span::Kind kind);
  void cut(Span& span, std::size_t units);
  bool open(std::size_t end_unit);
  void clear_touched();

  std::size_t first_unit_ = 0;
  std::size_t capacity_units_ = 0;  // up to this one
  std::size_t open_units_ = 0;      // up to this one they can be accessed
  bool opens_by_use_ = false;
  bool is_refused_ = false;
  std::size_t used_units_ = 0;  // from here on nothing has been handed out in this run
  HeapSpans* account_ = this;   // whose limit it is
  std::size_t charged_bytes_ = 0;
  std::size_t limit_bytes_ = SIZE_MAX;
  std::array<Span*, bin_count> bins_{};
};

}  // namespace orrery::host
