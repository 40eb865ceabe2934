#include "watched_death.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <orrery/explorers/death.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "detectors.hpp"

namespace orrery::cli {
namespace {

/// The steps of the run: it is done once more, quietly, if nobody has kept them.
Schedule schedule_of(const IsolatedRun& run, Observer* following, const IsolatedResult& died) {
  if (run.keeps_schedule) return died.schedule;
  IsolatedRun again = run;
  again.observers.clear();
  if (following != nullptr) again.observers.push_back(following);
  again.on_output = {};
  again.conclude = {};
  again.findings = {};
  again.recorder = nullptr;
  again.wants_statistics = false;
  again.keeps_schedule = true;
  return run_isolated(again).schedule;
}

bool is_told_by(const Finding& finding, const std::vector<Finding>& others) {
  const auto tells_it = [&](const Finding& other) {
    const auto is_same_line = [](const FindingPlace& a, const FindingPlace& b) {
      return a.file == b.file && a.line == b.line;
    };
    return other.kind == finding.kind &&
           std::ranges::is_permutation(other.where, finding.where, is_same_line);
  };
  // Who could not even say where has nothing to add.
  return finding.where.empty() || std::ranges::any_of(others, tells_it);
}

}  // namespace

void look_at_death(Detector* detector, const FoundProgram& program, const IsolatedRun& run,
                   Observer* following, IsolatedResult& died) {
  const bool can_be_done = detector != nullptr && died.has_died && !is_held_by_debugger() &&
                           !run.drive && run.checkpoints == nullptr;
  if (!can_be_done || died.outcome.findings.empty()) return;
  const Schedule schedule = schedule_of(run, following, died);
  if (schedule.steps() < 2) return;
  const std::uint64_t last_step = schedule.steps() - 1;
  SimulationOptions shortened = program.machine;
  shortened.step_limit = last_step;
  UndisturbedChooser fallback;
  ScheduleReplayer replayer(schedule, fallback);
  const IsolatedRun to_last_step{
      .program = program.program,
      .machine = shortened,
      .chooser = replayer,
      .observers = {detector},
      .on_output = {},
      .drive = {},
      .conclude =
          [&](Simulation&, const Schedule&, Outcome& outcome, Json& more) {
            outcome.findings.clear();
            conclude_watching(detector, program, run.wants_statistics, outcome, more, last_step);
          },
      .keeps_schedule = false};
  const IsolatedResult looked = run_isolated(to_last_step);
  if (looked.has_died) return;
  for (const char* const told : {"remarks", "detection", "other_run"}) {
    if (looked.more.contains(told)) died.more[told] = looked.more.at(told);
  }
  if (looked.outcome.findings.empty()) return;
  std::vector<Finding> known = std::move(died.outcome.findings);
  died.outcome.findings = {std::move(known.front())};
  std::vector<Finding> found = looked.outcome.findings;
  std::copy_if(known.begin() + 1, known.end(), std::back_inserter(found),
               [&](const Finding& one) { return !is_told_by(one, looked.outcome.findings); });
  add_findings(died.outcome, std::move(found));
}

}  // namespace orrery::cli
