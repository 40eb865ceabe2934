#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/reruns.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>
#include <orrery/sim_runtime/stacks_again.hpp>

#include "child_process.hpp"
#include "recording.hpp"
#include "shared_mapping.hpp"
#include "wall_clock.hpp"

namespace orrery {
namespace {

/// For a run in another order than one which took so long.
VirtualDuration patience(std::int64_t watched_ns) {
  return std::chrono::seconds(5) + std::chrono::nanoseconds(10 * watched_ns);
}

void write_failure(int fd, const std::string& reason) {
  detail::write_message(fd, {{{"failure", reason}}, {}});
}

}  // namespace

IsolatedReruns::IsolatedReruns(const SimulationOptions& machine, const Program& program,
                               bool isolate, std::optional<std::uint64_t> last_step)
    : machine_(machine),
      program_(program),
      isolate_(isolate),
      last_step_(last_step.value_or(machine.step_limit)) {
  machine_.window = any_order;
}

void IsolatedReruns::do_runs(const Body& body, const Tell& tell, CrashReporter* reporter) const {
  const detail::SharedMapping recording(detail::recording_bytes);
  Simulation simulation(machine_);
  std::int64_t watched_ns = 0;
  body(
      [&](Chooser& chooser, Observer& observer, Schedule* schedule, RunExtent extent) {
        const bool is_watched = extent.ends_as_watched;
        const VirtualDuration wall_limit =
            is_watched || watched_ns == 0 ? machine_.wall_limit
                                          : std::min(machine_.wall_limit, patience(watched_ns));
        simulation.set_wall_limit(wall_limit);
        simulation.set_step_limit(
            std::min(is_watched ? last_step_ : machine_.step_limit, extent.steps_max));
        // The machine looks at the limit itself; this is for a task that never calls it.
        if (reporter != nullptr && wall_limit != VirtualDuration::max()) {
          reporter->arm_watchdog(wall_limit + std::chrono::seconds(1));
        }
        ScheduleRecorder recorder(recording.bytes());
        const std::array<Observer*, 2> observers{&recorder, &observer};
        const detail::Stopwatch stopwatch;
        Outcome outcome = simulation.run(program_, chooser,
                                         std::span(observers).subspan(schedule == nullptr ? 1 : 0));
        if (reporter != nullptr) reporter->disarm_watchdog();
        if (is_watched) watched_ns = stopwatch.elapsed_ns();
        if (schedule != nullptr) *schedule = recorder.schedule();
        return outcome;
      },
      tell);
}

Reruns::Result IsolatedReruns::run(const Body& body) {
  Result result;
  if (!isolate_) {
    do_runs(
        body, [&](const std::string& text) { result.told.push_back(text); }, nullptr);
    return result;
  }
  const detail::SharedMapping crash(sizeof(CrashReport));
  crash.as<CrashReport>().clear();
  detail::ChildProcess process([&](int fd) {
    take_over_stacks();
    CrashReporter reporter(crash.as<CrashReport>());
    const auto tell = [&](const std::string& text) { detail::write_message(fd, {text, {}}); };
    try {
      do_runs(body, tell, &reporter);
    } catch (const UsageError& error) {
      write_failure(fd, fmt::format("{}; {}", error.problem(), error.hint()));
    } catch (const std::exception& error) {
      write_failure(fd, error.what());
    }
  });
  while (process.wait_and_read()) {
  }
  while (auto message = process.next_message()) {
    if (message->value.is_object()) {
      message->value.at("failure").get_to(result.failure);
    } else {
      result.told.push_back(message->value.get<std::string>());
    }
  }
  const int status = process.wait();
  if (status != 0) {
    Outcome outcome = outcome_of_death(status, crash.as<CrashReport>());
    if (!outcome.findings.empty()) result.death = std::move(outcome.findings.front());
  }
  return result;
}

}  // namespace orrery
