#include "follow_schedule.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace orrery::detail {

void ScheduleFollower::begin_run(const RunInfo& /*info*/) {
  record_.begin_run();
  has_parted_ = false;
}

Decision ScheduleFollower::choose(const ChoicePoint& point) {
  return point.kind == ChoiceKind::step ? choose_step(point)
                                        : record_.choose(point, std::identity());
}

std::uint64_t ScheduleFollower::choose_value(const ValueQuestion& question) {
  return record_.choose_value(question, std::identity());
}

Decision ScheduleFollower::choose_step(const ChoicePoint& point) {
  const std::vector<ScheduleEntry>& steps = record_.steps();
  const bool is_recorded = point.step > 0 && point.step <= steps.size();
  for (std::size_t i = 0; is_recorded && i < point.alternatives.size(); ++i) {
    const Alternative& one = point.alternatives[i];
    const ScheduleEntry& entry = steps[point.step - 1];
    if (entry.id == one.id && entry.operation == one.kind) return Decision::take(i);
  }
  has_parted_ = has_parted_ || is_recorded;
  return Decision::take(point.default_index());
}

}  // namespace orrery::detail
