#include <array>
#include <utility>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/reruns.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/stacks_again.hpp>

#include "child_process.hpp"
#include "recording.hpp"
#include "shared_mapping.hpp"

namespace orrery {

IsolatedReruns::IsolatedReruns(const SimulationOptions& machine, const Program& program,
                               bool isolate, std::optional<std::uint64_t> last_step)
    : machine_(machine),
      program_(program),
      isolate_(isolate),
      last_step_(last_step.value_or(machine.step_limit)) {
  machine_.window = any_order;
}

void IsolatedReruns::do_runs(const Body& body, const Tell& tell) const {
  const detail::SharedMapping recording(detail::recording_bytes);
  Simulation simulation(machine_);
  body(
      [&](Chooser& chooser, Observer& observer, Schedule* schedule, RunExtent extent) {
        simulation.set_step_limit(extent == RunExtent::as_watched ? last_step_
                                                                  : machine_.step_limit);
        ScheduleRecorder recorder(recording.bytes());
        const std::array<Observer*, 2> observers{&recorder, &observer};
        Outcome outcome = simulation.run(program_, chooser,
                                         std::span(observers).subspan(schedule == nullptr ? 1 : 0));
        if (schedule != nullptr) *schedule = recorder.schedule();
        return outcome;
      },
      tell);
}

Reruns::Result IsolatedReruns::run(const Body& body) {
  Result result;
  if (!isolate_) {
    do_runs(body, [&](const std::string& text) { result.told.push_back(text); });
    return result;
  }
  const detail::SharedMapping crash(sizeof(CrashReport));
  crash.as<CrashReport>().clear();
  detail::ChildProcess process([&](int fd) {
    take_over_stacks();
    CrashReporter reporter(crash.as<CrashReport>());
    const auto arm = [&] {
      // The machine looks at the limit itself; this is for a task that never calls it.
      if (machine_.wall_limit != VirtualDuration::max()) {
        reporter.arm_watchdog(machine_.wall_limit + std::chrono::seconds(1));
      }
    };
    arm();
    do_runs(body, [&](const std::string& text) {
      detail::write_message(fd, {text, {}});
      arm();
    });
    reporter.disarm_watchdog();
  });
  while (process.wait_and_read()) {
  }
  while (auto message = process.next_message()) {
    result.told.push_back(message->value.get<std::string>());
  }
  const int status = process.wait();
  if (status != 0) {
    Outcome outcome = outcome_of_death(status, crash.as<CrashReport>());
    if (!outcome.findings.empty()) result.death = std::move(outcome.findings.front());
  }
  return result;
}

}  // namespace orrery
