// Who accessed a variable last, as far as a later access could race with it.
#pragma once

#include <cstdint>
#include <vector>

#include "vector_clock.hpp"

namespace orrery::detail {

/// A place in the source, in one word: see `PlaceTable`.
using PlaceWord = std::uint64_t;

/// One access: when and where.
struct Access {
  Epoch epoch;
  PlaceWord place = 0;
};

/// Two accesses that nothing orders.
struct Race {
  Access earlier;
  bool earlier_writes = false;
};

/// Reads of one variable by several tasks, of which no later one knows the earlier.
using SharedReads = std::vector<std::vector<Access>>;

/// The last write, and the last read or the last reads that do not know of each other.
class AccessHistory {
 public:
  /// Notes a read.  What it races with is appended to `races`.
  void read(const Access& access, const VectorClock& known, SharedReads& shared,
            std::vector<Race>& races);
  void write(const Access& access, const VectorClock& known, SharedReads& shared,
             std::vector<Race>& races);
  /// The same history for a part of the variable, from here on of its own.
  [[nodiscard]] AccessHistory part(SharedReads& shared) const;

 private:
  Access write_;
  Access read_;
  std::uint32_t shared_plus_one_ = 0;  ///< its list in `SharedReads`; none or empty: only `read_`
};

}  // namespace orrery::detail
