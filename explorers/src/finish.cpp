#include "finish.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <orrery/explorers/death.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "buffered_twin.hpp"
#include "describe_run.hpp"
#include "program_identity.hpp"
#include "search_state.hpp"
#include "shrinker.hpp"

namespace orrery::detail {
namespace {

/// `bug.orr` and `-2` make `bug-2.orr`.
std::string with_suffix(const std::string& path, const std::string& suffix) {
  const std::filesystem::path whole(path);
  return (whole.parent_path() / (whole.stem().string() + suffix + whole.extension().string()))
      .string();
}

class Finishing {
 public:
  Finishing(const ExploreOptions& options, const Program& program, Report& report)
      : options_(options), program_(program), report_(report), info_(identify(options)) {}

  /// Deadlocks that come from lack of buffers may turn out to be one that is certain.
  void judge_deadlocks() {
    std::vector<FoundRun> distinct;
    for (FoundRun& found : report_.findings) {
      if (!found.schedule.entries.empty())
        prefer_certain_deadlock(options_, program_, machine_of(found), found);
      const auto same = std::ranges::find_if(distinct, [&](const FoundRun& other) {
        return found.finding.kind == FindingKind::deadlock &&
               other.finding.key() == found.finding.key();
      });
      if (same == distinct.end()) {
        distinct.push_back(std::move(found));
      } else {
        same->count += found.count;
      }
    }
    report_.findings = std::move(distinct);
  }

  void finish(FoundRun& found, std::size_t position) {
    if (found.schedule.entries.empty()) return;  // a contradiction of the search: no run shows it
    SimulationOptions machine = machine_of(found);
    std::string path = save_path_of(options_);
    if (position > 0) path = with_suffix(path, fmt::format("-{}", position + 1));
    const auto save_best = [&](const Schedule& best) { save(path, machine, found, best); };
    if (options_.save_logs) save_best(found.schedule);
    if (position == 0 && options_.shrink && !report_.interrupted)
      shrink_it(found, machine, save_best);
    // The log has the inputs of this very run, not of all that were tried.
    if (options_.forget_inputs) options_.forget_inputs();
    describe_run(options_, program_, machine, found);
    if (options_.save_logs) {
      save_best(found.best());
      found.log_path = path;
      found.replay_command = replay_command(info_, path);
      if (found.other_run) {
        found.other_log_path = with_suffix(path, "-other");
        save(found.other_log_path, machine, FoundRun{}, *found.other_run);
      }
    }
  }

  void finish(LimitedRuns& limited) {
    if (!options_.save_logs || limited.schedule.entries.empty()) return;
    SimulationOptions machine = options_.simulation;
    machine.seed = report_.seed;
    machine.run_index = index_of_draws(limited.run_index);
    limited.log_path = with_suffix(save_path_of(options_), "-limit");
    save_run(limited.log_path, {info_,
                                RunSettings::of(machine, report_.strategy),
                                {},
                                limited.schedule,
                                true,
                                {},
                                inputs()});
  }

 private:
  [[nodiscard]] SimulationOptions machine_of(const FoundRun& found) const {
    SimulationOptions machine = options_.simulation;
    machine.seed = report_.seed;
    machine.run_index = index_of_draws(found.run_index);
    return machine;
  }

  /// What comes before the snapshot was drawn once for all runs.
  [[nodiscard]] std::uint64_t index_of_draws(std::uint64_t run_index) const {
    return options_.snapshot ? 0 : run_index;
  }

  void save(const std::string& path, const SimulationOptions& machine, const FoundRun& found,
            const Schedule& schedule) const {
    std::vector<Finding> findings;
    if (!found.finding.message.empty()) findings.push_back(found.finding);
    findings.insert(findings.end(), found.others.begin(), found.others.end());
    save_run(path, {info_,
                    RunSettings::of(machine, report_.strategy),
                    findings,
                    schedule,
                    true,
                    {},
                    inputs()});
  }

  [[nodiscard]] ProgramInputs inputs() const {
    return options_.inputs ? options_.inputs() : ProgramInputs{};
  }

  template <typename Save>
  void shrink_it(FoundRun& found, SimulationOptions& machine, const Save& save_best) {
    ShrinkOptions how;
    how.runs = options_.shrink_runs;
    how.isolate = options_.isolate;
    how.progress = options_.progress;
    how.simulation = machine;
    how.observers = options_.observers;
    how.observer_findings = options_.observer_findings;
    how.examine = options_.examine;
    if (options_.save_logs) {
      how.on_better = [&](const ShrinkResult& better) {
        machine.preemption = better.preemption;
        save_best(better.schedule);
      };
    }
    ShrinkResult small = shrink(found.schedule, found.finding, program_, how);
    if (!small.reproduced) return;
    machine.preemption = small.preemption;
    found.finding = std::move(small.finding);
    found.others = std::move(small.others);
    found.output = std::move(small.output);
    found.shrunk = std::move(small.schedule);
    found.cost_before = small.before;
    found.cost_after = small.after;
  }

  const ExploreOptions& options_;
  const Program& program_;
  Report& report_;
  ProgramInfo info_;
};

}  // namespace

void finish_findings(const ExploreOptions& options, const Program& program, Report& report) {
  Finishing finishing(options, program, report);
  finishing.judge_deadlocks();
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    finishing.finish(report.findings[i], i);
  }
  for (LimitedRuns& limited : report.limits) finishing.finish(limited);
}

std::optional<Report> replay_instead(const ExploreOptions& options, const Program& program) {
  const char* const path = std::getenv("ORRERY_REPLAY");
  if (path == nullptr || *path == '\0') return std::nullopt;
  Report report;
  report.name = options.name;
  report.replayed = true;
  SavedRun log = load_run(path);
  if (log.program.name != identify(options).name) return report;
  SimulationOptions machine = options.simulation;
  log.settings.apply_to(machine);
  report.strategy = "replay";
  report.seed = machine.seed;
  FoundRun found;
  found.run_index = machine.run_index;
  found.count = 1;
  found.schedule = std::move(log.schedule);
  found.log_path = path;
  found.replay_command = replay_command(log.program, path);
  ExploreOptions how = options;
  how.isolate = options.isolate && !is_held_by_debugger();
  const RunDescription run = describe_run(how, program, machine, found);
  report.runs = 1;
  report.steps = run.steps;
  report.distinct_schedules = 1;
  if (run.has_finding) report.findings.push_back(std::move(found));
  if (std::getenv("ORRERY_TIMELINE") != nullptr) fmt::print("{}", run.timeline);
  return report;
}

}  // namespace orrery::detail
