// A run as it was seen, for tests that compare two of them.
#pragma once

#include <vector>

#include <orrery/replay_core/event_stream.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/sim_runtime/simulation.hpp>

namespace orrery::test {

struct SeenRun {
  Outcome outcome;
  Schedule schedule;
  std::vector<EventStream::Entry> events;
};

inline SeenRun watch(Simulation& simulation, const Program& program, Chooser& chooser) {
  ScheduleRecorder recorder;
  EventStream events;
  Observer* const observers[] = {&recorder, &events};
  SeenRun run;
  run.outcome = simulation.run(program, chooser, observers);
  run.schedule = recorder.schedule();
  run.events.assign(events.entries().begin(), events.entries().end());
  return run;
}

}  // namespace orrery::test
