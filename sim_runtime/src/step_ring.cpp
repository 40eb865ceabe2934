#include "step_ring.hpp"

#include <map>

namespace orrery::detail {
namespace {

using Steps = std::vector<StepRing::Step>;

bool repeats(const Steps& steps, std::size_t period) {
  for (std::size_t i = steps.size() - period * StepRing::repetitions; i + period < steps.size();
       ++i) {
    if (!(steps[i] == steps[i + period])) return false;
  }
  return true;
}

Steps shortest_cycle(const Steps& steps) {
  for (std::size_t period = 1; period * StepRing::repetitions <= steps.size(); ++period) {
    if (repeats(steps, period)) {
      return {steps.end() - static_cast<std::ptrdiff_t>(period), steps.end()};
    }
  }
  return {};
}

}  // namespace

std::vector<StepRing::Step> StepRing::cycles() const {
  std::map<TaskId, Steps> by_task;
  for (const auto& step : steps_) by_task[step.task].push_back(step);
  Steps all;
  for (const auto& [task, steps] : by_task) {
    const auto cycle = shortest_cycle(steps);
    if (cycle.empty()) return {};
    all.insert(all.end(), cycle.begin(), cycle.end());
  }
  return all;
}

}  // namespace orrery::detail
