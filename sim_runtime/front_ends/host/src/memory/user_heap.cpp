#include "user_heap.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace orrery::host {
namespace {

// Larger blocks than a program can mean: what is computed from them must not overflow.
constexpr std::size_t request_bytes_max = std::size_t{1} << 46U;

constexpr std::size_t units_for(std::size_t bytes) {
  return (bytes + HeapSpans::unit_bytes - 1) >> HeapSpans::unit_shift;
}

/// Of a span with blocks of this size: eight at least.
constexpr std::size_t units_of_span(std::size_t object_bytes) {
  constexpr std::size_t blocks_min = 8;
  return units_for(object_bytes * blocks_min);
}

}  // namespace

constinit const std::array<std::uint8_t, UserHeap::table_bytes_max / 16 + 1> UserHeap::class_table =
    UserHeap::make_class_table();

// --- small blocks -------------------------------------------------------------------------------

// The span in use has nothing left.
void* UserHeap::allocate_small(std::size_t size_class) {
  return make_room(size_class) ? allocate(bytes_of_class(size_class)) : nullptr;
}

bool UserHeap::make_room(std::size_t size_class) {
  SizeClass& own = classes_[size_class];
  if (own.current != nullptr) own.current->is_full = true;
  Span* span = own.partial;
  if (span != nullptr) {
    own.partial = span->next;
    if (span->next != nullptr) span->next->previous = nullptr;
    if (own.spare == span) own.spare = nullptr;
  } else {
    const std::size_t bytes = bytes_of_class(size_class);
    span = spans_.take(units_of_span(bytes));
    own.current = nullptr;
    if (span == nullptr) return false;
    span->was_used = !spans_.is_untouched(*span);
    for (std::uint32_t unit = 1; unit < span->units; ++unit) (span + unit)->head = span->head;
    span->kind = Span::Kind::small;
    span->size_class = static_cast<std::uint8_t>(size_class);
    span->used = 0;
    span->object_bytes = static_cast<std::uint32_t>(bytes);
    span->reciprocal = static_cast<std::uint32_t>(((std::uint64_t{1} << 32U) + bytes - 1) / bytes);
    span->bump = HeapSpans::begin_of(*span);
    span->end = span->bump + span->units * HeapSpans::unit_bytes / bytes * bytes;
    span->free = nullptr;
  }
  span->is_full = false;
  own.current = span;
  return true;
}

// A block of the span has come back, and it was full, or is empty now.
void UserHeap::settle(Span& span) {
  SizeClass& own = classes_[span.size_class];
  if (span.is_full) {
    span.is_full = false;
    span.previous = nullptr;
    span.next = own.partial;
    if (own.partial != nullptr) own.partial->previous = &span;
    own.partial = &span;
  }
  if (span.used > 0 || own.current == &span) return;
  if (own.spare == nullptr) {
    own.spare = &span;
    return;
  }
  if (own.spare == &span) return;
  if (span.previous != nullptr) {
    span.previous->next = span.next;
  } else {
    own.partial = span.next;
  }
  if (span.next != nullptr) span.next->previous = span.previous;
  spans_.note_touched(span, static_cast<std::size_t>(span.bump - HeapSpans::begin_of(span)));
  spans_.give_back(span);
}

bool UserHeap::is_in_free_list(const Span& span, const void* block) const {
  for (const FreeBlock* free = span.free; free != nullptr; free = free->next) {
    if (free == block) return true;
  }
  return false;
}

bool UserHeap::is_free(const void* block) const {
  const Span* const span = span_of(block);
  if (span == nullptr) return HeapSpans::at(block).kind == Span::Kind::free;
  return span->kind == Span::Kind::small &&
         static_cast<const FreeBlock*>(block)->mark == mark_of(block) &&
         is_in_free_list(*span, block);
}

UserHeap::Release UserHeap::release_slowly(void* block) {
  Span* const span = span_of(block);
  if (span == nullptr) {
    const Span& found = HeapSpans::at(block);
    return found.kind == Span::Kind::free && block == HeapSpans::begin_of(found)
               ? Release::already_free
               : Release::not_a_block;
  }
  spans_.give_back(*span);
  return Release::done;
}

// --- large blocks -------------------------------------------------------------------------------

void* UserHeap::allocate_large(std::size_t bytes, std::size_t boundary_units) {
  if (bytes > request_bytes_max || boundary_units > request_bytes_max) return nullptr;
  const std::size_t units = units_for(std::max<std::size_t>(bytes, 1));
  Span* const span =
      boundary_units > 1 ? spans_.take_aligned(units, boundary_units) : spans_.take(units);
  if (span == nullptr) return nullptr;
  span->kind = Span::Kind::large;
  // Whatever the program writes of it: nobody sees that.
  spans_.note_touched(*span, span->units * HeapSpans::unit_bytes);
  return HeapSpans::begin_of(*span);
}

bool UserHeap::resize_large(Span& span, std::size_t bytes) {
  if (bytes <= small_bytes_max || bytes > request_bytes_max) return false;
  if (!spans_.resize(span, units_for(bytes))) return false;
  spans_.note_touched(span, span.units * HeapSpans::unit_bytes);
  return true;
}

const void* UserHeap::next_used(std::size_t bytes, bool counts_parts) {
  const SizeClass& own = classes_[class_of(bytes)];
  const Span* const current = own.current;
  const bool has_room =
      current != nullptr && (current->free != nullptr || current->bump != current->end);
  if (!has_room && !make_room(class_of(bytes))) return nullptr;
  const Span& span = *own.current;
  if (span.free != nullptr) return span.free;
  return counts_parts && span.was_used ? span.bump : nullptr;
}

// --- the others ---------------------------------------------------------------------------------

void* UserHeap::allocate_zeroed(std::size_t bytes) {
  if (bytes > small_bytes_max) {
    const Unzeroed large = allocate_large_to_zero(bytes);
    if (large.bytes_left > 0) std::memset(large.block, 0, large.bytes_left);
    return large.block;
  }
  void* const block = allocate(bytes);
  if (block != nullptr) std::memset(block, 0, bytes);
  return block;
}

UserHeap::Unzeroed UserHeap::allocate_large_to_zero(std::size_t bytes) {
  if (bytes > request_bytes_max) return {};
  Span* const span = spans_.take(units_for(bytes));
  if (span == nullptr) return {};
  span->kind = Span::Kind::large;
  // A program may ask for much more than it ever looks at.
  const std::size_t bytes_left = spans_.is_untouched(*span) ? 0 : bytes;
  spans_.note_touched(*span, span->units * HeapSpans::unit_bytes);
  return {HeapSpans::begin_of(*span), bytes_left};
}

void* UserHeap::allocate_aligned(std::size_t boundary, std::size_t bytes) {
  if (boundary <= alignment) return allocate(bytes);
  if (boundary > HeapSpans::unit_bytes) {
    return allocate_large(bytes, boundary >> HeapSpans::unit_shift);
  }
  const std::size_t small_bytes = small_bytes_at(boundary, bytes);
  return small_bytes > 0 ? allocate(small_bytes) : allocate_large(bytes, 1);
}

// The blocks of a span begin at multiples of their size, and the span at one of a unit.
std::size_t UserHeap::small_bytes_at(std::size_t boundary, std::size_t bytes) {
  if (bytes > small_bytes_max || boundary > HeapSpans::unit_bytes) return 0;
  for (std::size_t index = class_of(std::max(bytes, boundary)); index < class_count; ++index) {
    if (bytes_of_class(index) % boundary == 0) return bytes_of_class(index);
  }
  return 0;
}

std::size_t UserHeap::usable_bytes(const void* block) const {
  const Span* const span = span_of(block);
  if (span == nullptr) return 0;
  return span->kind == Span::Kind::small ? span->object_bytes : span->units * HeapSpans::unit_bytes;
}

bool UserHeap::resize(void* block, std::size_t bytes) {
  Span& span = *span_of(block);
  if (span.kind == Span::Kind::large) return resize_large(span, bytes);
  const std::size_t old_bytes = span.object_bytes;
  return bytes <= old_bytes && bytes > old_bytes / 2;
}

void* UserHeap::reallocate(void* block, std::size_t bytes) {
  if (resize(block, bytes)) return block;
  const std::size_t old_bytes = usable_bytes(block);
  void* const moved = allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(old_bytes, bytes));
  release(block);
  return moved;
}

void UserHeap::reset(std::size_t limit_bytes) {
  spans_.reset(limit_bytes);
  classes_ = {};
}

}  // namespace orrery::host
