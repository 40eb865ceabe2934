#include "inferred_orders.hpp"

#include <orrery/replay_core/access_records.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "isolated_run.hpp"

namespace orrery::cli {

Json infer_orders(SavedRun& run, const FoundProgram& program) {
  UndisturbedChooser fallback;
  const auto replayer = recorder_kind(run.method).make_replayer(run, fallback, ReplayMode::strict);
  if (replayer->inference() == nullptr) return {};
  IsolatedRun request{.program = program.program,
                      .machine = program.machine,
                      .chooser = replayer->chooser(),
                      .observers = {},
                      .on_output = {},
                      .drive = {},
                      .conclude =
                          [&](Simulation&, const Schedule&, Outcome&, Json& more) {
                            if (replayer->parted()) more["parted"] = true;
                          },
                      .wants_statistics = true,
                      .keeps_schedule = false,
                      .recorder = replayer->inference(),
                      .is_preparation = true};
  if (Observer* const own = replayer->observer()) request.observers.push_back(own);
  const IsolatedResult result = run_isolated(request);
  if (result.more.contains("parted") || !result.has_records || result.records.empty()) return {};
  run.accesses = decode_access_records(result.records.front().content, "what was inferred");
  run.method = leap_method;
  return result.more.value("recording", Json());
}

}  // namespace orrery::cli
