#include "race_list.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace orrery::detail {

void RaceList::begin_run(const Names* names) {
  names_ = names;
  seen_.clear();
  findings_.clear();
}

FindingPlace RaceList::place_of(TaskId task, PlaceNumber number, const char* role,
                                const PlaceTable& places) const {
  FindingPlace place;
  if (number != 0) place = names_->place(places.place(number));
  place.task = names_->task(task);
  place.role = role;
  return place;
}

void RaceList::add(const std::string& variable, const Access& now, bool writes, const Race& race,
                   const PlaceTable& places, const EpochNumbers& epochs) {
  const auto task_of = [&](const Access& one) { return TaskId{epochs.epoch(one.epoch).task}; };
  Finding finding;
  finding.kind = FindingKind::data_race;
  finding.message = fmt::format("nothing orders two accesses to {}", variable);
  finding.where.push_back(
      place_of(task_of(now), now.place, writes ? "writes here" : "reads here", places));
  finding.where.push_back(place_of(task_of(race.earlier), race.earlier.place,
                                   race.earlier_writes ? "wrote here before" : "read here before",
                                   places));
  // Two program counters may be of one line.
  const bool is_known =
      !finding.where[0].file.empty() &&
      std::ranges::any_of(findings_, [&](const Finding& one) { return one.is_same_as(finding); });
  if (!is_known) findings_.push_back(std::move(finding));
}

}  // namespace orrery::detail
