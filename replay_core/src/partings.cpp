#include "partings.hpp"

#include <utility>

#include <fmt/format.h>

namespace orrery::detail {

Parting parting_in(const std::string& task, std::string_view expected, std::string_view came) {
  Parting parting;
  parting.message = fmt::format("the program parts from its log in {}: expected {}; came {}", task,
                                expected, came);
  parting.where.task = task;
  parting.where.role = "came instead";
  return parting;
}

Outcome judge_replay(Outcome outcome, const std::optional<Parting>& parted, ReplayMode mode) {
  if (!parted || mode == ReplayMode::best_effort) return outcome;
  outcome.status = Outcome::Status::finding;
  outcome.limit = Limit::none;
  Finding finding{FindingKind::divergence, parted->message, {}};
  if (!parted->where.file.empty()) finding.where.push_back(parted->where);
  outcome.findings = {std::move(finding)};
  return outcome;
}

Outcome come_to_end(Outcome outcome, Finding recorded) {
  if (!outcome.findings.empty()) recorded.where = std::move(outcome.findings.front().where);
  outcome.status = Outcome::Status::finding;
  outcome.limit = Limit::none;
  outcome.findings = {std::move(recorded)};
  return outcome;
}

bool has_died_again(std::span<const Finding> recorded, const Outcome& outcome) {
  return !recorded.empty() && !outcome.findings.empty() &&
         outcome.findings.front().kind == recorded.front().kind &&
         outcome.findings.front().kind != FindingKind::deadlock;
}

bool need_not_be_over(const SavedRun& recorded, const Outcome& outcome) {
  if (outcome.limit != Limit::none || outcome.status == Outcome::Status::abandoned) return true;
  if (!recorded.is_real) return has_died_again(recorded.findings, outcome);
  if (recorded.findings.empty() || outcome.findings.empty()) return false;
  // A real run tells only which signal it died of.  Threads that exit come to their program's end.
  const bool has_exited = recorded.stamps.is_of_library &&
                          recorded.findings.front().kind == FindingKind::exit &&
                          outcome.findings.front().kind == FindingKind::exit;
  return !has_exited;
}

bool was_cut_at_limit(const SavedRun& recorded) {
  const bool goes_round =
      !recorded.findings.empty() && recorded.findings.front().kind == FindingKind::livelock;
  return recorded.limit != Limit::none || goes_round;
}

}  // namespace orrery::detail
