#include "describe_run.hpp"

#include <utility>

#include "candidate_runner.hpp"

namespace orrery::detail {

namespace {

/// The same findings, with all that is known of them now.
void take_explained(const std::vector<Finding>& explained, FoundRun& found) {
  const auto explain = [&](Finding& finding) {
    for (const Finding& one : explained) {
      if (one.is_same_as(finding) && !one.notes.empty()) finding = one;
    }
  };
  explain(found.finding);
  for (Finding& other : found.others) explain(other);
}

}  // namespace

RunDescription describe_run(const ExploreOptions& options, const Program& program,
                            const SimulationOptions& machine, FoundRun& found) {
  const auto examine_and_explain = [&options](Reruns& reruns) {
    if (options.examine) options.examine(reruns);
    if (options.explain) options.explain(reruns);
  };
  CandidateRunner runner({machine, options.observers, options.observer_findings, false,
                          examine_and_explain, options.other_run, options.isolate},
                         program, machine.seed, machine.run_index, options.isolate);
  CandidateRequest request;
  const bool is_from_log = found.finding.message.empty() && found.finding.where.empty();
  request.kind = is_from_log ? CandidateRequest::Kind::replay : CandidateRequest::Kind::schedule;
  request.schedule = &found.best();
  request.wants_timeline = true;
  CandidateResult result = runner.run(request);
  RunDescription description;
  description.has_finding = !result.findings.empty();
  description.steps = result.cost.steps;
  description.timeline = result.timeline;
  found.timeline = std::move(result.timeline);
  if (!found.shrunk) found.cost_before = found.cost_after = result.cost;
  take_explained(result.findings, found);
  found.other_run = std::move(result.other_run);
  if (found.output.empty()) found.output = std::move(result.output);
  if (is_from_log && description.has_finding) {
    found.finding = result.findings.front();
    found.others.assign(result.findings.begin() + 1, result.findings.end());
  }
  // Whether accesses race, dates do not say.
  const bool is_race = found.finding.kind == FindingKind::data_race;
  if (!is_race && !result.timers_ahead.empty()) {
    found.finding.notes.push_back(std::move(result.timers_ahead));
  }
  return description;
}

}  // namespace orrery::detail
