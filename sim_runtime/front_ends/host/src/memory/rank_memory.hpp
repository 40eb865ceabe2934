// Whose memory is whose: the heaps and the mappings of ranks, together or apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <orrery/sim_runtime/memory_range.hpp>

#include "user_heap.hpp"
#include "user_mappings.hpp"

namespace orrery::host {

/// All ranks have one heap and one range of addresses for mappings: little memory is lost.  Or each
/// has its own: then the addresses that a rank gets depend on nothing but its own calls, and its
/// memory can be told from that of others.
class RankMemory {
 public:
  /// Everything is gone.  No more than so many bytes are handed out to all of them together. Throws
  /// `UsageError` if they are too many to be kept apart.
  void begin_run(std::uint32_t ranks, bool are_apart, std::size_t limit_bytes);
  /// All mappings are gone.
  void end_run();
  [[nodiscard]] bool are_apart() const { return are_apart_; }

  [[nodiscard]] UserHeap& heap_of(std::int32_t rank) {
    return are_apart_ ? heaps_[static_cast<std::size_t>(rank)] : *whole_heap_;
  }
  /// Whose block is it?  The address lies in the range of heaps.
  [[nodiscard]] UserHeap& owner_of(const void* block) {
    if (!are_apart_) return *whole_heap_;
    return heaps_[std::min(HeapSpans::unit_of(block) / heap_units_, heaps_.size() - 1)];
  }
  [[nodiscard]] UserMappings& mappings_of(std::int32_t rank) {
    return are_apart_ ? mappings_[static_cast<std::size_t>(rank)] : user_mappings;
  }
  /// Addresses that no other rank will get.  They must be apart.
  [[nodiscard]] std::vector<MemoryRange> windows_of(std::uint32_t rank) const;

  explicit RankMemory(UserHeap& whole_heap) : whole_heap_(&whole_heap) {}

 private:
  void make_apart(std::uint32_t ranks);

  UserHeap* whole_heap_;
  bool are_apart_ = false;
  std::size_t heap_units_ = 0;
  std::deque<UserHeap> heaps_;
  std::deque<UserMappings> mappings_;
};

}  // namespace orrery::host
