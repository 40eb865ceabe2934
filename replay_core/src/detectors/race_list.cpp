#include "race_list.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace orrery::detail {

std::string memory_text(std::uint64_t size_bytes) {
  return fmt::format("memory ({} {})", size_bytes, size_bytes == 1 ? "byte" : "bytes");
}

void RaceList::begin_run(const Names* names) {
  names_ = names;
  seen_.clear();
  findings_.clear();
  races_.clear();
}

FindingPlace RaceList::place_of(const RacingAccess& access, const char* role,
                                const PlaceTable& places) const {
  FindingPlace place;
  if (access.place != 0) place = names_->place(places.place(access.place));
  place.task = names_->task(access.task);
  place.role = role;
  return place;
}

void RaceList::add(std::string message, const RacingAccess& now, const RacingAccess& earlier,
                   const PlaceTable& places, const RacedMemory& where) {
  Finding finding;
  finding.kind = FindingKind::data_race;
  finding.class_name = class_name_;
  finding.message = std::move(message);
  finding.where.push_back(place_of(now, now.writes ? "writes here" : "reads here", places));
  finding.where.push_back(
      place_of(earlier, earlier.writes ? "wrote here before" : "read here before", places));
  // Two program counters may be of one line.
  const bool is_known =
      !finding.where[0].file.empty() &&
      std::ranges::any_of(findings_, [&](const Finding& one) { return one.is_same_as(finding); });
  if (is_known) return;
  findings_.push_back(std::move(finding));
  races_.push_back(
      {where.bytes, where.variable, {now.task, earlier.task}, {now.writes, earlier.writes}});
}

}  // namespace orrery::detail
