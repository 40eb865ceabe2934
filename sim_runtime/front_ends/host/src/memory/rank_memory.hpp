// Whose memory is whose: the heaps and the mappings of ranks, together or apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include <orrery/sim_runtime/memory_range.hpp>

#include "thread_arena.hpp"
#include "user_heap.hpp"
#include "user_mappings.hpp"

namespace orrery::host {

/// All ranks have one heap and one range of addresses for mappings: little memory is lost.  Or each
/// has its own: then the addresses that a rank gets depend on nothing but its own calls, and its
/// memory can be told from that of others.
///
/// In the replay of a program that ran on real cores, and where runs are recorded in which threads
/// may allocate in any order, these have arenas besides.
class RankMemory {
 public:
  /// Everything is gone.  No more than so many bytes are handed out to all of them together. Throws
  /// `UsageError` if they are too many to be kept apart.
  void begin_run(std::uint32_t ranks, bool are_apart, std::size_t limit_bytes);
  /// All mappings are gone.
  void end_run();
  [[nodiscard]] bool are_apart() const { return are_apart_; }
  /// Is there more than the one heap?
  [[nodiscard]] bool are_divided() const { return are_divided_; }

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
  /// For the thread that had this number on real cores; null: there are not addresses enough.  No
  /// more than one rank runs.
  [[nodiscard]] ThreadArena* make_arena(std::uint32_t number);
  /// For one whose own has no room for so many bytes: which parts it would get next.  None: there
  /// are no more, or the limit would be passed.
  [[nodiscard]] ThreadArena::More next_parts(std::size_t bytes);
  /// The same thread's from now on; null: there are no such parts.
  [[nodiscard]] ThreadArena* make_arena(ThreadArena::More parts);
  /// Is it a block of such a thread?  The address lies in the range of heaps.
  [[nodiscard]] bool is_in_arenas(const void* block) const {
    return has_arenas_ && ThreadArena::is_in_arenas(block);
  }
  /// What has been handed out to the rank lies in these.
  [[nodiscard]] std::vector<MemoryRange> heap_ranges(std::int32_t rank);
  /// How much of that is in use.
  [[nodiscard]] std::size_t taken_bytes(std::int32_t rank);
  /// Addresses that no other rank will get.  They must be apart.
  [[nodiscard]] std::vector<MemoryRange> windows_of(std::uint32_t rank) const;

  explicit RankMemory(UserHeap& whole_heap) : whole_heap_(&whole_heap) {}

 private:
  void make_apart(std::uint32_t ranks);

  UserHeap* whole_heap_;
  bool are_apart_ = false;
  bool has_arenas_ = false;
  bool are_divided_ = false;
  std::size_t heap_units_ = 0;
  std::deque<UserHeap> heaps_;
  std::deque<UserMappings> mappings_;
  std::uint32_t parts_end_ = 0;                   ///< those from there on have been given
  std::uint32_t own_parts_ = 0;                   ///< those up to there are threads' own
  std::map<std::uint32_t, ThreadArena> further_;  ///< by the first part
  std::map<std::uint32_t, ThreadArena> arenas_;   // by number, also those of former runs
};

}  // namespace orrery::host
