#include "run_again.hpp"

#include <memory>
#include <utility>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "inferred_orders.hpp"

namespace orrery::cli {
namespace {

/// Who makes the run of a log again, and what that asks for.
class RunOfLog {
 public:
  RunOfLog(const FoundProgram& program, const SavedRun& run, Observer& watching)
      : replayer_(recorder_kind(run.method).make_replayer(run, fallback_, ReplayMode::strict)),
        request_{.program = program.program,
                 .machine = program.machine,
                 .chooser = replayer_->chooser(),
                 .observers = {&watching},
                 .on_output = {},
                 .drive = {},
                 .conclude = {}} {
    if (Observer* const own = replayer_->observer()) request_.observers.push_back(own);
  }

  [[nodiscard]] Replayer& replayer() { return *replayer_; }
  [[nodiscard]] IsolatedRun& request() { return request_; }

 private:
  UndisturbedChooser fallback_;
  std::unique_ptr<Replayer> replayer_;
  IsolatedRun request_;
};

}  // namespace

Json run_to_last_step(const FoundProgram& program, SavedRun run, const IsolatedResult& died,
                      const Watching& watching) {
  if (run.method == schedule_method) run.schedule = died.schedule;
  const std::uint64_t steps = died.schedule.steps();
  RunOfLog again(program, run, watching.observer);
  again.request().wants_statistics = watching.wants_statistics;
  again.request().drive = [&](Simulation& simulation, Json& more) {
    simulation.clock().run_until([&] { return simulation.clock().steps() + 1 >= steps; });
    watching.conclude(simulation, &died.outcome.findings, more);
    return false;
  };
  return run_isolated(again.request()).more;
}

IsolatedResult run_again(const FoundProgram& program, SavedRun& run, const std::string& path,
                         const Watching& watching) {
  SavedRun exact = run;
  static_cast<void>(infer_orders(exact, program));
  RunOfLog again(program, exact, watching.observer);
  again.request().wants_statistics = watching.wants_statistics;
  again.request().conclude = [&](Simulation& simulation, const Schedule&, Outcome& outcome,
                                 Json& more) {
    outcome = again.replayer().judge(std::move(outcome));
    if (again.replayer().parted()) more["parted"] = again.replayer().parted()->message;
    watching.conclude(simulation, nullptr, more);
  };
  IsolatedResult result = run_isolated(again.request());
  const bool follows_messages = run.method != schedule_method;
  if (follows_messages && result.more.contains("parted")) {
    throw UsageError(result.more.at("parted").get<std::string>(), path,
                     "orrery replay --best-effort shows how far it fits");
  }
  if (result.has_died) result.more = run_to_last_step(program, exact, result, watching);
  const bool is_another = follows_messages || result.more.contains("parted");
  if (is_another && !result.outcome.findings.empty()) run.findings = result.outcome.findings;
  return result;
}

}  // namespace orrery::cli
