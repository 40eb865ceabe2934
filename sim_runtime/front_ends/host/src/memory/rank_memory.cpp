#include "rank_memory.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::host {
namespace {

// With less than that hardly any program begins.
constexpr std::size_t heap_bytes_min = std::size_t{4} << 20U;
constexpr std::size_t page_bytes = 4096;

}  // namespace

void RankMemory::begin_run(std::uint32_t ranks, bool are_apart, std::size_t limit_bytes) {
  end_run();
  for (UserHeap& heap : heaps_) heap.reset(UserHeap::no_limit);
  whole_heap_->reset(limit_bytes);
  if (are_apart && heaps_.size() != ranks) make_apart(ranks);
  are_apart_ = are_apart;
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
