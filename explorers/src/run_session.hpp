// One simulated machine and one chooser, for run after run of a search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery::detail {

/// What every run of a search or a shrinking has in common.
struct RunSetup {
  SimulationOptions simulation;
  std::function<std::vector<Observer*>()> observers;
  std::function<std::vector<Finding>()> observer_findings;
  bool check_determinism = false;
  std::function<void(Reruns&)> examine = {};
  std::function<std::optional<Schedule>()> other_run = {};
  bool isolate_reruns = true;
};

/// Does runs and records the choices of the present one into memory that outlives this process.
class RunSession {
 public:
  /// `setup` and `program` must outlive the session.
  RunSession(const RunSetup& setup, const Program& program, std::span<std::byte> recording);

  /// One run (two where determinism is checked), with the findings of the setup's observers.  They
  /// do without further runs of theirs where `is_worth_more`, asked after the run, says no.
  Outcome run(Chooser& chooser, std::uint64_t seed, std::uint64_t run_index,
              const std::function<bool()>& is_worth_more = {});
  /// Adds an observer to all later runs.
  void watch(Observer& observer) { watchers_.push_back(&observer); }

  /// A hash of the choices of the last run.
  [[nodiscard]] std::uint64_t schedule_hash() const;
  /// The choices of the last run.
  [[nodiscard]] Schedule schedule() const;
  /// Another run that belongs to what was found in the last one, if there is one.
  [[nodiscard]] std::optional<Schedule> other_run() const {
    return setup_.other_run ? setup_.other_run() : std::nullopt;
  }

 private:
  [[nodiscard]] Outcome run_twice(Chooser& chooser, std::optional<Finding>& difference);

  const RunSetup& setup_;
  const Program& program_;
  Simulation simulation_;
  ScheduleRecorder recorder_;
  std::vector<Observer*> watchers_;
};

}  // namespace orrery::detail
