#include "timelines.hpp"

#include <fmt/format.h>

#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/timeline.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "finding_text.hpp"

namespace orrery::cli {

void add_timeline_of_dead(const FoundProgram& program, IsolatedResult& result) {
  if (!result.has_died || result.more.contains("timeline")) return;
  const std::uint64_t steps = result.schedule.steps();
  UndisturbedChooser fallback;
  ScheduleReplayer replayer(result.schedule, fallback);
  Timeline timeline;
  const IsolatedRun again{
      .program = program.program,
      .machine = program.machine,
      .chooser = replayer,
      .observers = {&timeline},
      .on_output = {},
      .drive =
          [&](Simulation& simulation, Json& more) {
            simulation.clock().run_until([&] { return simulation.clock().steps() + 1 >= steps; });
            more["timeline"] = timeline.text();
            return false;
          },
      .conclude = {}};
  const IsolatedResult before = run_isolated(again);
  if (!before.more.contains("timeline")) return;
  std::string text = before.more.at("timeline").get<std::string>();
  for (const Finding& finding : result.outcome.findings) {
    text += fmt::format("then, in step {}: {}\n", steps, finding.message);
  }
  result.more["timeline"] = std::move(text);
}

std::string timeline_of(const FoundProgram& program, const Schedule& schedule) {
  UndisturbedChooser fallback;
  ScheduleReplayer replayer(schedule, fallback);
  Timeline timeline;
  const IsolatedRun request{
      .program = program.program,
      .machine = program.machine,
      .chooser = replayer,
      .observers = {&timeline},
      .on_output = {},
      .drive = {},
      .conclude = [&](Simulation&, const Schedule&, Outcome& outcome, Json& more) {
        outcome = replayer.judge(std::move(outcome));
        more["timeline"] = timeline.text();
      }};
  IsolatedResult result = run_isolated(request);
  add_timeline_of_dead(program, result);
  return result.more.value("timeline", std::string());
}

}  // namespace orrery::cli
