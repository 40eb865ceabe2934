// A stretch of one task's life, and what it accesses there.
#pragma once

#include <cstddef>
#include <cstdint>

#include <orrery/sim_runtime/ids.hpp>

#include "access_bitmap.hpp"
#include "order/segment_order.hpp"

namespace orrery::detail {

/// What a task did between two operations that order.
struct Segment {
  TaskId task;
  std::uint32_t number = 0;           ///< among the task's
  std::uint32_t first_operation = 0;  ///< the task's last operation before it
  VectorClock clock;
  AccessBitmap reads;
  AccessBitmap writes;
  AccessSummary read_words;  ///< of both, once it is over
  AccessSummary written_words;

  /// How many words its bitmaps have, once it is over.
  [[nodiscard]] std::size_t word_count() const { return reads.word_count() + writes.word_count(); }
  [[nodiscard]] bool is_empty() const { return reads.is_empty() && writes.is_empty(); }
  [[nodiscard]] bool has_any(AddressRange range) const {
    return reads.has_any(range) || writes.has_any(range);
  }
  [[nodiscard]] std::size_t used_bytes() const {
    return sizeof(Segment) + reads.used_bytes() + writes.used_bytes();
  }
  void close(AccessBitmap::KnownLeaves& known) {
    read_words = reads.close(known);
    written_words = writes.close(known);
    known.clear();
  }
  /// False: there is no byte that both accessed and one of them wrote.  Both are over.
  [[nodiscard]] bool may_race(const Segment& other) const {
    return written_words.may_meet(other.written_words) ||
           written_words.may_meet(other.read_words) || read_words.may_meet(other.written_words);
  }
  void forget(AddressRange range) {
    reads.remove(range);
    writes.remove(range);
  }
};

}  // namespace orrery::detail
