#include "heap_spans.hpp"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>

namespace orrery::host {
namespace {

constexpr std::size_t reserved_bytes_min = std::size_t{256} << 20U;
// Up to here clearing memory is faster than having its pages mapped anew.
constexpr std::size_t cleared_bytes_max = std::size_t{2} << 20U;
// Of a range that is closed so many are opened at a time.  Their notes are whole pages, too.
constexpr std::size_t opened_units = std::size_t{1} << 11U;

bool make_accessible(const void* first, const void* behind) {
  const auto bytes = static_cast<std::size_t>(static_cast<const std::byte*>(behind) -
                                              static_cast<const std::byte*>(first));
  return mprotect(const_cast<void*>(first), bytes, PROT_READ | PROT_WRITE) == 0;
}

void* map(void* where, std::size_t bytes) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* const memory = mmap(where, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

bool HeapSpans::reserve() {
  if (capacity_units_ > 0 || is_refused_) return capacity_units_ > 0;
  constexpr std::size_t notes_bytes = span_array_bytes + units_max * sizeof(std::uint16_t);
  void* const notes = map(reinterpret_cast<void*>(notes_address), notes_bytes);
  // A limit on virtual memory may leave room for a part of it only.
  std::size_t bytes = notes == nullptr ? 0 : range_bytes;
  while (bytes >= reserved_bytes_min &&
         map(reinterpret_cast<void*>(base_address), bytes) == nullptr) {
    bytes /= 4;
  }
  is_refused_ = bytes < reserved_bytes_min;
  if (!is_refused_) capacity_units_ = open_units_ = bytes / unit_bytes;
  if (is_refused_ && notes != nullptr) munmap(notes, notes_bytes);
  return !is_refused_;
}

void HeapSpans::confine(HeapSpans& whole, std::size_t first_unit, std::size_t units) {
  account_ = &whole;
  first_unit_ = first_unit;
  used_units_ = first_unit;
  capacity_units_ = open_units_ = first_unit + units;
}

// --- a closed range -----------------------------------------------------------------------------

// What nobody can access is not charged for, and a process that locks all its memory does not fill
// it.
bool HeapSpans::reserve_closed() {
  constexpr std::size_t notes_bytes = span_array_bytes + units_max * sizeof(std::uint16_t);
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  auto* const wanted = reinterpret_cast<void*>(base_address);
  void* const got = mmap(wanted, range_bytes + notes_bytes, PROT_NONE, flags, -1, 0);
  if (got == wanted) return true;
  if (got != MAP_FAILED) munmap(got, range_bytes + notes_bytes);  // by a kernel before 4.17
  return false;
}

void HeapSpans::confine_closed(std::size_t first_unit, std::size_t units) {
  first_unit_ = first_unit;
  used_units_ = first_unit;
  capacity_units_ = first_unit + units;
  open_by_use();
}

void HeapSpans::close_from(std::size_t unit) {
  mprotect(reinterpret_cast<void*>(address_of(unit)), range_bytes - unit * unit_bytes, PROT_NONE);
}

void HeapSpans::open_from(std::size_t unit) {
  make_accessible(reinterpret_cast<void*>(address_of(unit)),
                  reinterpret_cast<void*>(address_of(0) + range_bytes));
}

bool HeapSpans::open(std::size_t end_unit) {
  const std::size_t end =
      std::min((end_unit + opened_units - 1) / opened_units * opened_units, capacity_units_);
  const auto* const memory = reinterpret_cast<const std::byte*>(base_address);
  const bool is_open =
      make_accessible(memory + open_units_ * unit_bytes, memory + end * unit_bytes) &&
      make_accessible(span_array() + open_units_, span_array() + end) &&
      make_accessible(touched_array() + open_units_, touched_array() + end);
  if (is_open) open_units_ = end;
  return is_open;
}

bool HeapSpans::charge(std::size_t bytes) {
  if (bytes > account_->limit_bytes_ - account_->charged_bytes_) return false;
  account_->charged_bytes_ += bytes;
  return true;
}

// --- free spans ---------------------------------------------------------------------------------

std::size_t HeapSpans::bin_of(std::size_t units) {
  if (units < exact_bins) return units;
  return exact_bins + static_cast<std::size_t>(63 - __builtin_clzll(units)) - 6;
}

void HeapSpans::put_in_bin(Span& span) {
  Span*& first = bins_[bin_of(span.units)];
  span.previous = nullptr;
  span.next = first;
  if (first != nullptr) first->previous = &span;
  first = &span;
}

void HeapSpans::take_from_bin(Span& span) {
  if (span.previous != nullptr) {
    span.previous->next = span.next;
  } else {
    bins_[bin_of(span.units)] = span.next;
  }
  if (span.next != nullptr) span.next->previous = span.previous;
}

Span* HeapSpans::find_free(std::size_t units) {
  for (std::size_t bin = bin_of(units); bin < bin_count; ++bin) {
    Span* best = nullptr;
    for (Span* span = bins_[bin]; span != nullptr; span = span->next) {
      if (span->units < units) continue;
      if (best == nullptr || span->units < best->units) best = span;
      if (bin < exact_bins) break;
    }
    if (best == nullptr) continue;
    take_from_bin(*best);
    return best;
  }
  return nullptr;
}

Span& HeapSpans::make(std::size_t first, std::size_t units, Span::Kind kind) {
  Span& span = span_array()[first];
  span.head = static_cast<std::uint32_t>(first);
  span.units = static_cast<std::uint32_t>(units);
  span.kind = kind;
  span_array()[first + units - 1].head = span.head;
  return span;
}

// What is beyond so many units becomes a free span of its own.
void HeapSpans::cut(Span& span, std::size_t units) {
  if (span.units == units) return;
  const std::size_t first = span.head + units;
  const std::size_t rest = span.units - units;
  make(span.head, units, span.kind);
  give_back(make(first, rest, Span::Kind::large));
}

Span* HeapSpans::extend(std::size_t units) {
  if (!reserve()) return nullptr;
  std::size_t first = used_units_;
  if (first > first_unit_) {
    Span& last = span_array()[span_array()[first - 1].head];
    if (last.kind == Span::Kind::free) first = last.head;
  }
  if (units > capacity_units_ - first) return nullptr;
  if (first + units > open_units_ && !open(first + units)) return nullptr;
  if (first < used_units_) take_from_bin(span_array()[first]);
  used_units_ = first + units;
  return &make(first, units, Span::Kind::none);
}

// --- handing out --------------------------------------------------------------------------------

Span* HeapSpans::take(std::size_t units) {
  if (!charge(units * unit_bytes)) return nullptr;
  Span* const span = find_free(units);
  if (span != nullptr) {
    span->kind = Span::Kind::none;
    account_->charged_bytes_ += (span->units - units) * unit_bytes;  // which `cut` gives back
    cut(*span, units);
    return span;
  }
  Span* const fresh = extend(units);
  if (fresh == nullptr) discharge(units * unit_bytes);
  return fresh;
}

Span* HeapSpans::take_aligned(std::size_t units, std::size_t boundary_units) {
  Span* const wide = take(units + boundary_units - 1);
  if (wide == nullptr) return nullptr;
  const std::size_t base_unit = base_address >> unit_shift;
  const std::size_t skipped = -(base_unit + wide->head) & (boundary_units - 1);
  if (skipped == 0) {
    cut(*wide, units);
    return wide;
  }
  const std::size_t first = wide->head + skipped;
  Span& rest = make(first, wide->units - skipped, Span::Kind::none);
  give_back(make(wide->head, skipped, Span::Kind::large));
  cut(rest, units);
  return &rest;
}

void HeapSpans::give_back(Span& span) {
  discharge(std::size_t{span.units} * unit_bytes);
  std::size_t first = span.head;
  std::size_t units = span.units;
  if (first > first_unit_) {
    Span& left = span_array()[span_array()[first - 1].head];
    if (left.kind == Span::Kind::free) {
      take_from_bin(left);
      first = left.head;
      units += left.units;
    }
  }
  if (span.head + span.units < used_units_) {
    Span& right = span_array()[span.head + span.units];
    if (right.kind == Span::Kind::free) {
      take_from_bin(right);
      right.kind = Span::Kind::none;
      units += right.units;
    }
  }
  span.kind = Span::Kind::none;
  put_in_bin(make(first, units, Span::Kind::free));
}

bool HeapSpans::resize(Span& span, std::size_t units) {
  if (units <= span.units) {
    cut(span, units);
    return true;
  }
  const std::size_t more = units - span.units;
  const std::size_t next = span.head + span.units;
  if (next == used_units_) {
    if (more > capacity_units_ - next) return false;
    if (next + more > open_units_ && !open(next + more)) return false;
    if (!charge(more * unit_bytes)) return false;
    used_units_ += more;
    make(span.head, units, span.kind);
    return true;
  }
  Span& right = span_array()[next];
  if (right.kind != Span::Kind::free || right.units < more) return false;
  if (!charge(more * unit_bytes)) return false;
  take_from_bin(right);
  right.kind = Span::Kind::none;
  const std::size_t surplus = right.units - more;
  account_->charged_bytes_ += surplus * unit_bytes;
  make(span.head, units + surplus, span.kind);
  cut(span, units);
  return true;
}

// --- the end of a run ---------------------------------------------------------------------------

bool HeapSpans::is_untouched(const Span& span) const {
  const std::uint16_t* const first = touched_array() + span.head;
  return std::all_of(first, first + span.units, [](std::uint16_t bytes) { return bytes == 0; });
}

void HeapSpans::note_touched(const Span& span, std::size_t bytes) {
  for (std::size_t unit = span.head; bytes > 0; ++unit) {
    const std::size_t here = std::min(bytes, unit_bytes);
    touched_array()[unit] = std::max(touched_array()[unit], static_cast<std::uint16_t>(here));
    bytes -= here;
  }
}

void HeapSpans::clear_touched() {
  std::size_t clear_bytes_left = cleared_bytes_max;
  for (std::size_t unit = first_unit_; unit < used_units_;) {
    std::size_t end = unit;
    std::size_t bytes = 0;
    while (end < used_units_ && touched_array()[end] != 0) {
      bytes = (end - unit) * unit_bytes + touched_array()[end];
      ++end;
      if (touched_array()[end - 1] != unit_bytes) break;
    }
    std::byte* const begin = begin_of({.head = static_cast<std::uint32_t>(unit)});
    if (bytes > clear_bytes_left) {
      madvise(begin, (end - unit) * unit_bytes, MADV_DONTNEED);
    } else if (bytes > 0) {
      std::memset(begin, 0, bytes);
      clear_bytes_left -= bytes;
    }
    unit = std::max(end, unit + 1);
  }
}

std::size_t HeapSpans::taken_bytes() const {
  std::size_t bytes = 0;
  for (std::size_t unit = first_unit_; unit < used_units_;) {
    const Span& span = span_array()[unit];
    if (span.kind == Span::Kind::small) bytes += std::size_t{span.used} * span.object_bytes;
    if (span.kind == Span::Kind::large) bytes += std::size_t{span.units} * unit_bytes;
    unit += std::max<std::size_t>(span.units, 1);
  }
  return bytes;
}

void HeapSpans::reset(std::size_t limit_bytes) {
  for (std::size_t unit = first_unit_; unit < used_units_; unit += span_array()[unit].units) {
    const Span& span = span_array()[unit];
    if (span.kind != Span::Kind::small) continue;
    note_touched(span, static_cast<std::size_t>(span.bump - begin_of(span)));
  }
  clear_touched();
  std::fill_n(touched_array() + first_unit_, used_units_ - first_unit_, std::uint16_t{0});
  std::fill_n(span_array() + first_unit_, used_units_ - first_unit_, Span{});
  used_units_ = first_unit_;
  if (opens_by_use_) open_units_ = first_unit_;
  charged_bytes_ = 0;
  limit_bytes_ = limit_bytes;
  bins_ = {};
}

}  // namespace orrery::host
