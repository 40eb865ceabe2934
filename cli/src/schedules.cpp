#include "schedules.hpp"

#include <memory>
#include <utility>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/natural_order.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "inferred_orders.hpp"
#include "input_flags.hpp"
#include "isolated_run.hpp"

namespace orrery::cli {
namespace {

constexpr const char* woken_by_itself = "may_have_woken_by_itself";

/// A run of a log, with its partings in `more`.
IsolatedResult replay(const SavedRun& log, const Program& program, const SimulationOptions& machine,
                      Chooser& fallback, bool keeps_natural_order) {
  const auto replayer = recorder_kind(log.method).make_replayer(log, fallback, ReplayMode::strict);
  NaturalOrder order(*replayer);
  IsolatedRun request{.program = program,
                      .machine = machine,
                      .chooser = keeps_natural_order ? order : replayer->chooser(),
                      .observers = {},
                      .on_output = {},
                      .drive = {},
                      .conclude = [&](Simulation&, const Schedule&, Outcome& outcome, Json& more) {
                        outcome = replayer->judge(std::move(outcome));
                        if (replayer->parted()) more["parted"] = replayer->parted()->message;
                        note_wakings(*replayer, more);
                      }};
  if (keeps_natural_order) request.observers.push_back(&order);
  if (Observer* const own = replayer->observer()) request.observers.push_back(own);
  return run_isolated(request);
}

}  // namespace

void give_schedule(SavedRun& saved, FoundProgram& program, const std::string& path) {
  if (saved.method == schedule_method) return;
  // A message that is too early is held back for as long as it takes.
  program.machine.window = any_order;
  static_cast<void>(infer_orders(saved, program));
  constexpr int attempts = 50;
  const auto strategy = make_strategy("random");
  UndisturbedChooser undisturbed;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto random = strategy->chooser({});
    SimulationOptions machine = program.machine;
    machine.run_index += static_cast<std::uint64_t>(attempt);
    Chooser& fallback = attempt == 0 ? static_cast<Chooser&>(undisturbed) : *random;
    IsolatedResult once =
        replay(saved, program.program, machine, fallback, /*keeps_natural_order=*/true);
    if (once.more.contains("parted")) {
      throw UsageError(once.more.at("parted").get<std::string>(), path,
                       "orrery replay --best-effort shows how far it fits");
    }
    forbid_needless_wakings(program.machine, once.more);
    SavedRun by_schedule = saved;
    by_schedule.method = schedule_method;
    by_schedule.settings.spurious_wakeups = program.machine.spurious_wakeups;
    by_schedule.messages = {};
    by_schedule.accesses = {};
    by_schedule.schedule = std::move(once.schedule);
    if (!once.outcome.findings.empty()) by_schedule.findings = std::move(once.outcome.findings);
    const IsolatedResult again =
        replay(by_schedule, program.program, program.machine, undisturbed, false);
    if (again.more.contains("parted")) continue;
    saved = std::move(by_schedule);
    return;
  }
  throw UsageError("its polls went as they never do in simulation", path,
                   "orrery replay runs it; orrery explore finds a run of its own");
}

void note_wakings(const Replayer& replayer, Json& more) {
  more[woken_by_itself] = replayer.may_have_woken_by_itself();
}

void forbid_needless_wakings(SimulationOptions& machine, Json& more) {
  const bool has_woken = more.value(woken_by_itself, true);
  more.erase(woken_by_itself);
  machine.spurious_wakeups = machine.spurious_wakeups && has_woken;
}

FoundProgram find_program_with_schedule(SavedRun& saved, const NamedLog& log,
                                        const MachineFlags& machine, const Detector* detector) {
  if (saved.program.kind == ProgramInfo::Kind::test) {
    throw UsageError("the log is of the C++ test '" + saved.program.name + "'", log.path,
                     log.if_test);
  }
  FoundProgram program =
      find_program_of(saved, log.path, log.program_path, /*any_build=*/false, machine, detector);
  use_unchanged_inputs(program, saved, log.path);
  give_schedule(saved, program, log.path);
  return program;
}

}  // namespace orrery::cli
