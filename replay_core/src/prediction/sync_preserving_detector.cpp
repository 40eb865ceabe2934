#include "sync_preserving_detector.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include <orrery/sim_runtime/names.hpp>

#include "detectors/race_list.hpp"

namespace orrery::detail {
namespace {

/// Pairs of accesses that are tried for one pair of lines.
constexpr std::size_t races_of_lines_max = 3;

/// Whichever of both came first.
bool are_at_same_lines(const Finding& one, const Finding& other) {
  const auto is_same = [](const FindingPlace& a, const FindingPlace& b) {
    return std::tie(a.file, a.line, a.function) == std::tie(b.file, b.line, b.function);
  };
  if (one.where.size() != 2 || other.where.size() != 2) return false;
  return (is_same(one.where[0], other.where[0]) && is_same(one.where[1], other.where[1])) ||
         (is_same(one.where[0], other.where[1]) && is_same(one.where[1], other.where[0]));
}

}  // namespace

void SyncPreserving::begin_run(const RunInfo& info) {
  names_ = info.names;
  run_.begin_run(info);
  of_this_run_.begin_run(info);
  candidates_.clear();
  confirmed_.clear();
  unconfirmed_.clear();
  accesses_.clear();
  pairs_ = 0;
  is_whole_ = true;
  is_over_ = false;
}

void SyncPreserving::end_run(const Outcome& outcome) {
  is_over_ = outcome.status != Outcome::Status::abandoned;
}

void SyncPreserving::add(const PredictedRace& race) {
  const SyncTrace& trace = run_.trace;
  Candidate candidate;
  Finding& finding = candidate.finding;
  finding.kind = FindingKind::data_race;
  finding.class_name = other_run_class;
  const TraceEvent& later = trace.at(race.later);
  const ObjectId variable = trace.variable_at(later.address);
  finding.message =
      "two accesses to " +
      (variable != ObjectId{} ? names_->object(variable) : memory_text(later.size_bytes)) +
      " can happen at the same time, with all locks taken in the order of this run";
  for (const TraceRef ref : {race.later, race.earlier}) {
    const TraceEvent& event = trace.at(ref);
    const bool writes = event.kind == TraceEvent::Kind::write;
    FindingPlace place =
        event.place != 0 ? names_->place(trace.places().place(event.place)) : FindingPlace{};
    place.task = names_->task(TaskId{ref.task});
    const bool is_later = ref == race.later;
    place.role = writes ? (is_later ? "writes here" : "wrote here before")
                        : (is_later ? "reads here" : "read here before");
    candidate.accesses.tasks[is_later ? 0 : 1] = TaskId{ref.task};
    candidate.accesses.writes[is_later ? 0 : 1] = writes;
    finding.where.push_back(std::move(place));
  }
  candidate.accesses.variable = variable;
  if (variable == ObjectId{}) {
    candidate.accesses.bytes = {later.address, later.address + later.size_bytes};
  }
  candidate.races.push_back(race);
  const auto known = std::ranges::find_if(candidates_, [&](const Candidate& one) {
    return !finding.where[0].file.empty() && one.finding.is_same_as(finding);
  });
  if (known == candidates_.end()) {
    candidates_.push_back(std::move(candidate));
  } else if (known->races.size() < races_of_lines_max) {
    known->races.push_back(race);
  }
}

void SyncPreserving::predict() {
  const PredictedRaces found = find_predicted_races(run_.trace, races_of_lines_max);
  pairs_ = found.pairs;
  is_whole_ = found.is_whole;
  for (const PredictedRace& race : found.races) add(race);
}

void SyncPreserving::examine(Reruns& reruns) {
  if (!is_over_) return;
  predict();
  std::vector<Candidate*> open;
  for (Candidate& one : candidates_) open.push_back(&one);
  std::vector<const Candidate*> left;  // that no run shows
  for (std::size_t attempt = 0; attempt < races_of_lines_max && !open.empty(); ++attempt) {
    const auto prepare = [&](const Reruns::Run&) -> PlanOfRace {
      return [&](std::size_t i) -> std::optional<TrialPlan> {
        if (attempt >= open[i]->races.size()) return std::nullopt;
        return plan_trial(run_.trace, run_.decisions, open[i]->races[attempt]);
      };
    };
    const std::vector<TrialVerdict> verdicts =
        try_races(reruns, open.size(), prepare, TrialOrders::one);
    std::vector<Candidate*> rest;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (verdicts[i].is_shown) {
        confirm(*open[i]);
      } else if (!verdicts[i].failure.empty()) {
        open[i]->finding.notes.push_back(verdicts[i].failure);
        left.push_back(open[i]);
      } else {
        rest.push_back(open[i]);
      }
    }
    open = std::move(rest);
  }
  left.insert(left.end(), open.begin(), open.end());
  take_races_of_this_run(left);
}

/// What nothing orders in this run needs no other: not even where both accesses are never next at
/// the same time, as behind a flag that is set by a relaxed write and was seen.
void SyncPreserving::take_races_of_this_run(const std::vector<const Candidate*>& open) {
  const std::vector<Finding> certain = of_this_run_.findings();
  const std::vector<RaceAccesses> accesses = of_this_run_.races();
  for (const Candidate* const one : open) {
    const auto is_it = [&](const Finding& other) { return are_at_same_lines(one->finding, other); };
    if (std::ranges::any_of(certain, is_it)) {
      confirm(*one);
    } else {
      unconfirmed_.push_back(one->finding);
    }
  }
  for (std::size_t i = 0; i < certain.size(); ++i) {
    const auto is_it = [&](const Candidate& other) {
      return are_at_same_lines(certain[i], other.finding);
    };
    if (std::ranges::any_of(candidates_, is_it)) continue;
    Candidate more{certain[i], accesses[i], {}};
    more.finding.class_name = other_run_class;
    confirm(more);
  }
}

std::vector<Finding> SyncPreserving::findings() const {
  if (is_over_) return confirmed_;
  std::vector<Finding> so_far = of_this_run_.findings();
  for (Finding& one : so_far) one.class_name = other_run_class;
  return so_far;
}

void SyncPreserving::confirm(const Candidate& candidate) {
  confirmed_.push_back(candidate.finding);
  accesses_.push_back(candidate.accesses);
}

std::vector<Finding> SyncPreserving::remarks() const {
  std::vector<Finding> remarks;
  for (Finding one : unconfirmed_) {
    one.class_name = "other order, unconfirmed";
    one.confirmation = Confirmation::unconfirmed;
    remarks.push_back(std::move(one));
  }
  if (!is_whole_) {
    Finding one{FindingKind::data_race,
                "the run is too long to look at all pairs of its accesses: there may be more",
                {}};
    one.class_name = "not looked at";
    remarks.push_back(std::move(one));
  }
  return remarks;
}

std::vector<std::pair<std::string_view, std::uint64_t>> SyncPreserving::counts() const {
  return {{"pairs_compared", pairs_},
          {"races_predicted", candidates_.size()},
          {"races_confirmed", confirmed_.size()}};
}

}  // namespace orrery::detail

namespace orrery {

std::unique_ptr<Detector> make_sync_preserving() {
  return std::make_unique<detail::SyncPreserving>();
}

}  // namespace orrery
