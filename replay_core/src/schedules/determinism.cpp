#include "determinism.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include <orrery/sim_runtime/names.hpp>

#include "schedule_replayer.hpp"
#include "undisturbed_chooser.hpp"

namespace orrery {
void EventComparison::begin_run(const RunInfo& info) {
  names_ = info.names;
  now_.begin_run(info);
}

void EventComparison::end_run(const Outcome& outcome) {
  // Here the run's names are still valid.  The wall clock may cut a run anywhere: that is not the
  // program's doing.
  const auto index = first_difference(before_, now_.entries());
  if (index && outcome.limit != Limit::wall_time) difference_ = finding(*index);
}

std::string EventComparison::text(std::span<const EventStream::Entry> stream,
                                  std::size_t index) const {
  return index < stream.size() ? describe(stream[index].event, *names_) : "the end of the run";
}

Finding EventComparison::finding(std::size_t index) const {
  const auto now = now_.entries();
  std::string first = text(before_, index);
  std::string second = text(now, index);
  if (first == second) {
    first += fmt::format(", value or payload {:x}", before_[index].event.payload_hash);
    second += fmt::format(", value or payload {:x}", now[index].event.payload_hash);
  }
  Finding result;
  result.kind = FindingKind::divergence;
  result.message = fmt::format(
      "the program is not deterministic: event {} was {}; with the same choices again it was {}",
      index + 1, first, second);
  const EventStream::Entry& entry = index < now.size() ? now[index] : before_[index];
  FindingPlace place = names_->place(entry.where);
  place.task = names_->task(entry.event.id.task);
  place.role = "differs between two runs with the same choices";
  result.where.push_back(std::move(place));
  return result;
}

std::optional<Finding> check_determinism(Simulation& simulation, const Program& program,
                                         const Schedule& schedule) {
  UndisturbedChooser fallback;
  // A program that parts from the schedule is to go on: the events say more than the schedule.
  ScheduleReplayer replayer(schedule, fallback, ReplayMode::best_effort);
  EventStream first;
  Observer* const first_observers[] = {&first};
  static_cast<void>(simulation.run(program, replayer, first_observers));

  EventComparison second(first.entries());
  Observer* const second_observers[] = {&second};
  static_cast<void>(simulation.run(program, replayer, second_observers));
  return second.difference();
}

}  // namespace orrery
