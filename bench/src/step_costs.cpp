// What one step costs.
#include <boost/context/fiber.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "benchmark_row.hpp"
#include "measuring.hpp"

namespace orrery::bench {
namespace {

constexpr std::uint32_t steps_per_sample = 100'000;

/// Goes on with whoever ran last: a question is asked at each step, and nobody is switched to.
class StayingChooser final : public Chooser {
 public:
  Decision choose(const ChoicePoint& point) override {
    return Decision::take(point.default_index());
  }
};

/// One resume of a raw fiber, and one back, are two switches.
double raw_switch_ns() {
  using boost::context::fiber;
  fiber other([](fiber&& back) {
    for (std::uint32_t i = 0; i < steps_per_sample / 2; ++i) back = std::move(back).resume();
    return std::move(back);
  });
  const double start = cpu_seconds();
  for (std::uint32_t i = 0; i < steps_per_sample / 2; ++i) other = std::move(other).resume();
  const double seconds = cpu_seconds() - start;
  other = std::move(other).resume();  // it ends
  return seconds * 1e9 / steps_per_sample;
}

/// Two tasks take turns under round robin, whose first run gives quanta of one step: one switch is
/// one step that goes to the other task, with its question, its answer and its operation.
Sample switch_between_two() {
  const double raw_ns = raw_switch_ns();
  TimedRuns runs(boundless(), "round_robin");
  const RunCosts costs = runs.run(storing_threads(2, steps_per_sample / 2), 1);
  detail::ensure(costs.preemptions * 100 > costs.steps * 99, "every step goes to the other task",
                 static_cast<long long>(costs.preemptions), static_cast<long long>(costs.steps));
  return {costs.ns_per_step(), raw_ns, {}};
}

Sample step_without_switch() {
  TimedRuns runs(boundless(), std::make_unique<StayingChooser>());
  const RunCosts costs = runs.run(storing_threads(4, steps_per_sample / 4), 1);
  detail::ensure(costs.preemptions < 10 && costs.questions * 10 > costs.steps * 7,
                 "questions are asked, and the task goes on",
                 static_cast<long long>(costs.preemptions),
                 static_cast<long long>(costs.questions));
  return {costs.ns_per_step(), 0, {}};
}

Sample step_alone() {
  TimedRuns runs(boundless(), std::make_unique<StayingChooser>());
  const RunCosts costs = runs.run(
      [](World& world) {
        Atomic<std::uint32_t> own(world);
        for (std::uint32_t value = 0; value < 4 * steps_per_sample; ++value) own.store(value);
      },
      1);
  detail::ensure(costs.questions == 0, "there is nobody else to choose");
  return {costs.ns_per_step(), 0, {}};
}

}  // namespace

std::vector<BenchmarkRow> step_cost_rows() {
  constexpr int repetitions = 41;
  return {
      {"switch between two tasks", "ns", "raw Boost.Context", ratio_at_most(8), repetitions,
       switch_between_two},
      {"visible operation, asked, no switch", "ns", "", figure_at_most(60), repetitions,
       step_without_switch},
      {"visible operation, alone, unwatched", "ns", "", figure_at_most(16), repetitions,
       step_alone},
  };
}

}  // namespace orrery::bench
