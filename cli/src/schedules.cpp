#include "schedules.hpp"

#include <utility>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "isolated_run.hpp"

namespace orrery::cli {

void give_schedule(SavedRun& saved, const FoundProgram& program, const std::string& path) {
  if (saved.method == schedule_method) return;
  UndisturbedChooser fallback;
  const auto replayer =
      recorder_kind(saved.method).make_replayer(saved, fallback, ReplayMode::strict);
  IsolatedRun request{.program = program.program,
                      .machine = program.machine,
                      .chooser = replayer->chooser(),
                      .observers = {},
                      .on_output = {},
                      .drive = {},
                      .conclude = [&](Simulation&, const Schedule&, Outcome& outcome, Json& more) {
                        outcome = replayer->judge(std::move(outcome));
                        if (replayer->parted()) more["parted"] = replayer->parted()->message;
                      }};
  if (Observer* const own = replayer->observer()) request.observers.push_back(own);
  IsolatedResult result = run_isolated(request);
  if (result.more.contains("parted")) {
    throw UsageError(result.more.at("parted").get<std::string>(), path,
                     "orrery replay --best-effort shows how far it fits");
  }
  saved.method = schedule_method;
  saved.messages = {};
  saved.schedule = std::move(result.schedule);
  if (!result.outcome.findings.empty()) saved.findings = std::move(result.outcome.findings);
}

}  // namespace orrery::cli
