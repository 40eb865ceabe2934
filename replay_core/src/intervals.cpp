#include "intervals.hpp"

#include <algorithm>

namespace orrery {

const Interval* CheckpointedRun::find(const IntervalId& id) const {
  const auto found = std::ranges::lower_bound(intervals, id, {}, &Interval::id);
  return found != intervals.end() && found->id == id ? &*found : nullptr;
}

}  // namespace orrery
