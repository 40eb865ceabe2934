#include "intervals.hpp"

#include <algorithm>

namespace orrery {

const Interval* CheckpointedRun::find(const IntervalId& id) const {
  const auto found = std::ranges::lower_bound(intervals, id, {}, &Interval::id);
  return found != intervals.end() && found->id == id ? &*found : nullptr;
}

bool has_images(const CheckpointedRun& run) {
  return std::ranges::any_of(run.intervals,
                             [](const Interval& one) { return one.begin.image.has_value(); });
}

}  // namespace orrery
