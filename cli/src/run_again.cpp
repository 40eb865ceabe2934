#include "run_again.hpp"

#include <utility>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

namespace orrery::cli {

Json run_to_last_step(const FoundProgram& program, SavedRun run, const IsolatedResult& died,
                      const Watching& watching) {
  if (run.method == schedule_method) run.schedule = died.schedule;
  const std::uint64_t steps = died.schedule.steps();
  UndisturbedChooser fallback;
  const auto replayer = recorder_kind(run.method).make_replayer(run, fallback, ReplayMode::strict);
  IsolatedRun again{
      .program = program.program,
      .machine = program.machine,
      .chooser = replayer->chooser(),
      .observers = {&watching.observer},
      .on_output = {},
      .drive =
          [&](Simulation& simulation, Json& more) {
            simulation.clock().run_until([&] { return simulation.clock().steps() + 1 >= steps; });
            watching.conclude(simulation, &died.outcome.findings, more);
            return false;
          },
      .conclude = {}};
  if (Observer* const own = replayer->observer()) again.observers.push_back(own);
  return run_isolated(again).more;
}

IsolatedResult run_again(const FoundProgram& program, SavedRun& run, const std::string& path,
                         const Watching& watching) {
  UndisturbedChooser fallback;
  const auto replayer = recorder_kind(run.method).make_replayer(run, fallback, ReplayMode::strict);
  IsolatedRun request{
      .program = program.program,
      .machine = program.machine,
      .chooser = replayer->chooser(),
      .observers = {&watching.observer},
      .on_output = {},
      .drive = {},
      .conclude = [&](Simulation& simulation, const Schedule&, Outcome& outcome, Json& more) {
        outcome = replayer->judge(std::move(outcome));
        if (replayer->parted()) more["parted"] = replayer->parted()->message;
        watching.conclude(simulation, nullptr, more);
      }};
  if (Observer* const own = replayer->observer()) request.observers.push_back(own);
  IsolatedResult result = run_isolated(request);
  const bool follows_messages = run.method != schedule_method;
  if (follows_messages && result.more.contains("parted")) {
    throw UsageError(result.more.at("parted").get<std::string>(), path,
                     "orrery replay --best-effort shows how far it fits");
  }
  if (result.has_died) result.more = run_to_last_step(program, run, result, watching);
  if (follows_messages && !result.outcome.findings.empty()) run.findings = result.outcome.findings;
  return result;
}

}  // namespace orrery::cli
