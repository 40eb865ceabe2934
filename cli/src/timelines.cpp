#include "timelines.hpp"

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/timeline.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "finding_text.hpp"

namespace orrery::cli {

void add_timeline_of_dead(const FoundProgram& program, SavedRun run, IsolatedResult& result) {
  if (!result.has_died || result.more.contains("timeline")) return;
  if (run.method == schedule_method) run.schedule = result.schedule;
  const std::uint64_t steps = result.schedule.steps();
  UndisturbedChooser fallback;
  const auto replayer = recorder_kind(run.method).make_replayer(run, fallback, ReplayMode::strict);
  Timeline timeline;
  IsolatedRun again{
      .program = program.program,
      .machine = program.machine,
      .chooser = replayer->chooser(),
      .observers = {&timeline},
      .on_output = {},
      .drive =
          [&](Simulation& simulation, Json& more) {
            simulation.clock().run_until([&] { return simulation.clock().steps() + 1 >= steps; });
            more["timeline"] = timeline.text();
            return false;
          },
      .conclude = {}};
  if (Observer* const own = replayer->observer()) again.observers.push_back(own);
  const IsolatedResult before = run_isolated(again);
  if (!before.more.contains("timeline")) return;
  std::string text = before.more.at("timeline").get<std::string>();
  for (const Finding& finding : result.outcome.findings) {
    text += fmt::format("then, in step {}: {}\n", steps, finding.message);
  }
  result.more["timeline"] = std::move(text);
}

std::string timeline_of(const FoundProgram& program, SavedRun& run, const std::string& path) {
  UndisturbedChooser fallback;
  const auto replayer = recorder_kind(run.method).make_replayer(run, fallback, ReplayMode::strict);
  Timeline timeline;
  IsolatedRun request{.program = program.program,
                      .machine = program.machine,
                      .chooser = replayer->chooser(),
                      .observers = {&timeline},
                      .on_output = {},
                      .drive = {},
                      .conclude = [&](Simulation&, const Schedule&, Outcome& outcome, Json& more) {
                        outcome = replayer->judge(std::move(outcome));
                        if (replayer->parted()) more["parted"] = replayer->parted()->message;
                        more["timeline"] = timeline.text();
                      }};
  if (Observer* const own = replayer->observer()) request.observers.push_back(own);
  IsolatedResult result = run_isolated(request);
  const bool follows_messages = run.method != schedule_method;
  if (follows_messages && result.more.contains("parted")) {
    throw UsageError(result.more.at("parted").get<std::string>(), path,
                     "orrery replay --best-effort shows how far it fits");
  }
  add_timeline_of_dead(program, run, result);
  if (follows_messages && !result.outcome.findings.empty()) {
    run.findings = std::move(result.outcome.findings);
  }
  return result.more.value("timeline", std::string());
}

}  // namespace orrery::cli
