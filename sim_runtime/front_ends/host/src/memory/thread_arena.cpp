#include "thread_arena.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <sys/mman.h>

namespace orrery::host {
namespace {

constexpr std::size_t units_of_gibibyte = (std::size_t{1} << 30U) >> HeapSpans::unit_shift;
constexpr std::size_t units_of_first = 8 * units_of_gibibyte;
// Of the next few a gibibyte each, of all others less.
constexpr std::size_t large_parts = 63;
constexpr std::size_t units_of_small_part = units_of_gibibyte / 16;

constexpr std::size_t small_parts_unit =
    ThreadArena::first_arena_unit + units_of_first + large_parts * units_of_gibibyte;
constexpr std::size_t small_parts = (HeapSpans::units_max - small_parts_unit) / units_of_small_part;

constexpr std::size_t units_holding(std::size_t bytes) {
  return (bytes + HeapSpans::unit_bytes - 1) >> HeapSpans::unit_shift;
}

/// Its owner may look at the kind meanwhile, and must find neither that it is free.
void set_kind(Span& span, Span::Kind kind) {
  std::atomic_ref(span.kind).store(kind, std::memory_order_relaxed);
}

}  // namespace

constexpr ThreadArena::Part ThreadArena::part_of(std::uint32_t number) {
  if (number == 0) return {first_arena_unit, units_of_first};
  if (number <= large_parts) {
    const std::size_t first = first_arena_unit + units_of_first;
    return {first + (number - 1) * units_of_gibibyte, units_of_gibibyte};
  }
  const std::size_t place = number - 1 - large_parts;
  if (place >= small_parts) return {};
  return {small_parts_unit + place * units_of_small_part, units_of_small_part};
}

constexpr ThreadArena::Part ThreadArena::part_of(More more) {
  if (more.count == 0 || more.first >= small_parts || more.count > small_parts - more.first)
    return {};
  return {small_parts_unit + more.first * units_of_small_part, more.count * units_of_small_part};
}

const std::uint32_t ThreadArena::parts_for_more = small_parts;

std::uint32_t ThreadArena::parts_wanted(std::size_t bytes) {
  constexpr std::size_t least = units_of_gibibyte / units_of_small_part;
  if (bytes >= HeapSpans::range_bytes) return small_parts + 1;  // which there are not
  const std::size_t needed = units_holding(bytes) / units_of_small_part + 1;
  return static_cast<std::uint32_t>(std::max(least, needed));
}

std::optional<std::uint32_t> ThreadArena::own_part_for_more(std::uint32_t number) {
  return number <= large_parts ? std::nullopt
                               : std::optional(number - 1 - std::uint32_t{large_parts});
}

void ThreadArena::take(const Part& part) {
  begin_ = HeapSpans::address_of(part.first_unit);
  bytes_ = part.units * HeapSpans::unit_bytes;
}

bool ThreadArena::begin(std::uint32_t number, HeapSpans& whole) {
  return begin(part_of(number), whole);
}
bool ThreadArena::begin(More more, HeapSpans& whole) {
  return begin(part_of(more), whole);
}
bool ThreadArena::begin_closed(std::uint32_t number) {
  return begin_closed(part_of(number));
}
bool ThreadArena::begin_closed(More more) {
  return begin_closed(part_of(more));
}

bool ThreadArena::begin(const Part& part, HeapSpans& whole) {
  if (part.units == 0) return false;
  heap_.spans().confine(whole, part.first_unit, part.units);
  heap_.spans().open_by_use();
  is_limited_ = true;
  take(part);
  return true;
}

bool ThreadArena::begin_closed(const Part& part) {
  if (part.units == 0) return false;
  heap_.spans().confine_closed(part.first_unit, part.units);
  take(part);
  return true;
}

void ThreadArena::reset() {
  heap_.reset(UserHeap::no_limit);
  adopted_ = {};
  held_ = {};
  telling_ = Telling::none;
  extend_ = nullptr;
  more_ = nullptr;
}

/// Memory that is new to all is nobody else's.
void ThreadArena::tell_next(std::size_t bytes, std::size_t filled_bytes) {
  const void* next = adopted_[UserHeap::class_of(bytes)];
  if (next == nullptr) next = heap_.next_used(bytes, tells_contents());
  if (next == nullptr) return;
  touch_({next, tells_contents() ? std::max(list_bytes, filled_bytes) : list_bytes, true});
}

/// The pages of a large block of another thread are new when it is used again.
void ThreadArena::tell_release(const void* block) const {
  std::size_t bytes = list_bytes;
  if (tells_contents() && !is_own(block) && is_in_arenas(block)) {
    const Span& span = HeapSpans::at(block);
    const bool is_large = span.kind == Span::Kind::large || span.kind == Span::Kind::held;
    if (is_large && HeapSpans::begin_of(span) == block) bytes = span.units * HeapSpans::unit_bytes;
  }
  touch_({block, bytes, true});
}

// --- further parts ------------------------------------------------------------------------------

ThreadArena* ThreadArena::more_for(std::size_t bytes) {
  if (more_ != nullptr || extend_ == nullptr) return more_;
  if (parts_wanted(bytes) > small_parts) return nullptr;  // so many there cannot be
  more_ = extend_(bytes);
  if (more_ == nullptr) {
    extend_ = nullptr;  // nor will there be later
    return nullptr;
  }
  more_->tell(telling_, touch_);
  more_->extend_by(extend_);
  return more_;
}

void* ThreadArena::allocate_more(std::size_t bytes, std::size_t filled_bytes) {
  ThreadArena* const more = more_for(bytes);
  return more != nullptr ? more->allocate(bytes, filled_bytes) : nullptr;
}

ThreadArena::Release ThreadArena::release_other(Span* span, void* block) {
  for (ThreadArena* more = more_; more != nullptr; more = more->more_) {
    if (more->is_in_part(block)) return more->heap_.release(block);
  }
  return adopt(span, block);
}

// --- blocks of other threads --------------------------------------------------------------------

ThreadArena::Release ThreadArena::adopt(Span* span, void* block) {
  drop(block);
  if (span->kind == Span::Kind::small) {
    auto* const free = static_cast<FreeBlock*>(block);
    free->next = adopted_[span->size_class];
    adopted_[span->size_class] = free;
    return Release::done;
  }
  discharge(*span);
  Span*& first = held_[HeapSpans::bin_of(span->units)];
  span->next = first;
  first = span;
  return Release::done;
}

ThreadArena::Release ThreadArena::drop(void* block) {
  Span* const span = UserHeap::span_of(block);
  if (span == nullptr || is_marked(*span, block)) return refusal_of(block);
  if (span->kind == Span::Kind::small) {
    static_cast<FreeBlock*>(block)->mark = UserHeap::mark_of(block);
    return Release::done;
  }
  set_kind(*span, Span::Kind::held);
  madvise(block, span->units * HeapSpans::unit_bytes, MADV_DONTNEED);
  return Release::done;
}

bool ThreadArena::is_free(const void* block) {
  const Span* const span = UserHeap::span_of(block);
  if (span != nullptr) return is_marked(*span, block);
  const Span& found = HeapSpans::at(block);
  return (found.kind == Span::Kind::free || found.kind == Span::Kind::held) &&
         block == HeapSpans::begin_of(found);
}

void* ThreadArena::take_held(std::size_t bytes) {
  if (bytes > HeapSpans::range_bytes) return nullptr;
  constexpr int looked_at_max = 8;
  const std::size_t units = units_holding(bytes);
  Span** link = &held_[HeapSpans::bin_of(units)];
  for (int i = 0; i < looked_at_max && *link != nullptr; ++i, link = &(*link)->next) {
    Span& span = **link;
    if (span.units < units) continue;
    if (!charge(span)) return nullptr;
    *link = span.next;
    set_kind(span, Span::Kind::large);
    return HeapSpans::begin_of(span);
  }
  return nullptr;
}

// --- handing out --------------------------------------------------------------------------------

void* ThreadArena::allocate_large(std::size_t bytes, std::size_t filled_bytes) {
  void* const held = take_held(bytes);
  void* const block = held != nullptr ? held : heap_.allocate(bytes);
  if (block == nullptr) return allocate_more(bytes, filled_bytes);
  tell_filled(block, filled_bytes);
  return block;
}

void* ThreadArena::allocate_zeroed(std::size_t bytes) {
  if (bytes > UserHeap::small_bytes_max) {
    void* const held = take_held(bytes);  // its pages are new
    if (held != nullptr) return held;
    const UserHeap::Unzeroed large = heap_.allocate_large_to_zero(bytes);
    if (large.block == nullptr) {
      ThreadArena* const more = more_for(bytes);
      return more != nullptr ? more->allocate_zeroed(bytes) : nullptr;
    }
    if (large.bytes_left > 0) {
      tell_filled(large.block, large.bytes_left);
      std::memset(large.block, 0, large.bytes_left);
    }
    return large.block;
  }
  void* const block = allocate(bytes, bytes);
  if (block != nullptr) std::memset(block, 0, bytes);
  return block;
}

void* ThreadArena::allocate_aligned(std::size_t boundary, std::size_t bytes) {
  if (boundary <= UserHeap::alignment) return allocate(bytes);
  const std::size_t small_bytes = UserHeap::small_bytes_at(boundary, bytes);
  if (small_bytes > 0) return allocate(small_bytes);
  void* const block = heap_.allocate_aligned(boundary, bytes);
  std::size_t room = 0;
  if (block != nullptr || __builtin_add_overflow(boundary, bytes, &room)) return block;
  ThreadArena* const more = more_for(room);
  return more != nullptr ? more->allocate_aligned(boundary, bytes) : nullptr;
}

void* ThreadArena::reallocate(void* block, std::size_t bytes) {
  if (resize(block, bytes)) return block;
  const std::size_t old_bytes = usable_bytes(block);
  void* const moved = allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(old_bytes, bytes));
  release(block);
  return moved;
}

}  // namespace orrery::host
