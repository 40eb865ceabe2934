#include "rank_memory.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "pages.hpp"

namespace orrery::host {
namespace {

// With less than that hardly any program begins.
constexpr std::size_t heap_bytes_min = std::size_t{4} << 20U;

}  // namespace

void RankMemory::begin_run(std::uint32_t ranks, bool are_apart, std::size_t limit_bytes) {
  end_run();
  if (has_arenas_) HeapSpans::open_from(ThreadArena::first_arena_unit);
  for (UserHeap& heap : heaps_) heap.reset(UserHeap::no_limit);
  for (auto& [number, arena] : arenas_) arena.reset();
  for (auto& [part, arena] : further_) arena.reset();
  further_.clear();
  parts_end_ = ThreadArena::parts_for_more;
  own_parts_ = 0;
  whole_heap_->reset(limit_bytes);
  // Of the last run: then one heap had what the arenas left of the range.
  if (has_arenas_)
    (are_apart_ ? heaps_.front() : *whole_heap_).spans().end_at(HeapSpans::units_max);
  has_arenas_ = false;
  if (are_apart && heaps_.size() != ranks) make_apart(ranks);
  are_apart_ = are_apart;
  are_divided_ = are_apart;
}

ThreadArena* RankMemory::make_arena(std::uint32_t number) {
  HeapSpans& rest = heap_of(0).spans();
  if (!has_arenas_) {
    const bool is_whole = whole_heap_->reserve() && rest.capacity_units() == HeapSpans::units_max;
    if (!is_whole || rest.used_end() > HeapSpans::address_of(ThreadArena::first_arena_unit))
      return nullptr;
    rest.end_at(ThreadArena::first_arena_unit);
    // What a program could not access on real cores it cannot now: it may have died there.
    HeapSpans::close_from(ThreadArena::first_arena_unit);
    has_arenas_ = are_divided_ = true;
  }
  const auto own_part = ThreadArena::own_part_for_more(number);
  if (own_part && *own_part >= parts_end_) return nullptr;
  if (own_part) own_parts_ = std::max(own_parts_, *own_part + 1);
  const auto [arena, is_new] = arenas_.try_emplace(number);
  if (is_new && !arena->second.begin(number, whole_heap_->spans())) {
    arenas_.erase(arena);
    return nullptr;
  }
  return &arena->second;
}

ThreadArena::More RankMemory::next_parts(std::size_t bytes) {
  const std::uint32_t wanted = ThreadArena::parts_wanted(bytes);
  if (wanted > parts_end_ - own_parts_ || !whole_heap_->charge(bytes)) return {};
  whole_heap_->discharge(bytes);
  return {parts_end_ - wanted, wanted};
}

ThreadArena* RankMemory::make_arena(ThreadArena::More parts) {
  const auto [arena, is_new] = further_.try_emplace(parts.first);
  if (!is_new || !arena->second.begin(parts, whole_heap_->spans())) return nullptr;
  parts_end_ = std::min(parts_end_, parts.first);
  return &arena->second;
}

std::vector<MemoryRange> RankMemory::heap_ranges(std::int32_t rank) {
  const HeapSpans& own = heap_of(rank).spans();
  std::vector<MemoryRange> ranges{{own.used_begin(), own.used_end()}};
  for (const auto* const arenas : {&arenas_, &further_}) {
    for (const auto& [number, arena] : *arenas) {
      const HeapSpans& spans = arena.spans();
      if (spans.used_begin() < spans.used_end())
        ranges.push_back({spans.used_begin(), spans.used_end()});
    }
  }
  return ranges;
}

std::size_t RankMemory::taken_bytes(std::int32_t rank) {
  std::size_t bytes = heap_of(rank).spans().taken_bytes();
  for (const auto* const arenas : {&arenas_, &further_}) {
    for (const auto& [number, arena] : *arenas) bytes += arena.spans().taken_bytes();
  }
  return bytes;
}

void RankMemory::end_run() {
  user_mappings.reset();
  for (UserMappings& mappings : mappings_) mappings.reset();
}

void RankMemory::make_apart(std::uint32_t ranks) {
  const std::size_t units = whole_heap_->reserve() ? whole_heap_->spans().capacity_units() : 0;
  heap_units_ = units / ranks;
  if (heap_units_ * HeapSpans::unit_bytes < heap_bytes_min) {
    throw UsageError(fmt::format("there are not addresses enough to keep {} ranks apart", ranks),
                     "checkpoints", "use fewer ranks, or raise the limit on virtual memory");
  }
  heaps_.clear();
  mappings_.clear();
  const auto share = [ranks](std::uintptr_t bytes) {
    return bytes / ranks / page_bytes * page_bytes;
  };
  const MappingWindow whole;
  const std::uintptr_t mapping_bytes = share(whole.end - whole.begin);
  const std::uintptr_t break_bytes =
      std::min(whole.break_bytes, share(MappingWindow::breaks_end - whole.break_begin));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    heaps_.emplace_back().spans().confine(whole_heap_->spans(), rank * heap_units_, heap_units_);
    const std::uintptr_t begin = whole.begin + rank * mapping_bytes;
    mappings_.emplace_back(MappingWindow{begin, begin + mapping_bytes,
                                         whole.break_begin + rank * break_bytes, break_bytes});
  }
}

std::vector<MemoryRange> RankMemory::windows_of(std::uint32_t rank) const {
  detail::ensure(are_apart_, "windows are of ranks that are kept apart", rank);
  const std::uintptr_t heap = heaps_[rank].spans().used_begin();
  const MappingWindow& window = mappings_[rank].window();
  return {{heap, heap + heap_units_ * HeapSpans::unit_bytes},
          {window.begin, window.end},
          {window.break_begin, window.break_begin + window.break_bytes}};
}

}  // namespace orrery::host
