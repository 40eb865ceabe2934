#include "race_list.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace orrery::detail {

void RaceList::begin_run(const Names* names) {
  names_ = names;
  seen_.clear();
  findings_.clear();
}

FindingPlace RaceList::place_of(const Access& access, const char* role,
                                const PlaceTable& places) const {
  FindingPlace place;
  if (access.place != 0) place = names_->place(places.place(access.place));
  place.task = names_->task(TaskId{access.epoch.task});
  place.role = role;
  return place;
}

void RaceList::add(const std::string& variable, const Access& now, bool writes, const Race& race,
                   const PlaceTable& places) {
  Finding finding;
  finding.kind = FindingKind::data_race;
  finding.message = fmt::format("nothing orders two accesses to {}", variable);
  finding.where.push_back(place_of(now, writes ? "writes here" : "reads here", places));
  finding.where.push_back(place_of(
      race.earlier, race.earlier_writes ? "wrote here before" : "read here before", places));
  // Two program counters may be of one line.
  const bool is_known =
      !finding.where[0].file.empty() &&
      std::ranges::any_of(findings_, [&](const Finding& one) { return one.is_same_as(finding); });
  if (!is_known) findings_.push_back(std::move(finding));
}

}  // namespace orrery::detail
