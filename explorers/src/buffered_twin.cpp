#include "buffered_twin.hpp"

#include <algorithm>
#include <utility>

#include "candidate_runner.hpp"

namespace orrery::detail {
namespace {

bool is_certain(const Finding& finding) {
  return finding.kind == FindingKind::deadlock && finding.class_name == "certain";
}

bool is_draw(const Deviation& deviation) {
  return deviation.kind == ChoiceKind::value;
}

bool take_if_certain(CandidateRunner& runner, const Deviations& deviations, FoundRun& found) {
  CandidateRequest request;
  request.deviations = deviations;
  CandidateResult result = runner.run(request);
  const auto certain = std::ranges::find_if(result.findings, is_certain);
  if (certain == result.findings.end()) return false;
  found.finding = *certain;
  result.findings.erase(certain);
  found.others = std::move(result.findings);
  found.schedule = runner.schedule();
  found.output = std::move(result.output);
  return true;
}

}  // namespace

void prefer_certain_deadlock(const ExploreOptions& options, const Program& program,
                             const SimulationOptions& machine, FoundRun& found) {
  // Without a class no messages are waited for: there is nothing to be buffered.
  if (found.finding.kind != FindingKind::deadlock || found.finding.class_name.empty()) return;
  CandidateRunner runner({machine, options.observers, options.observer_findings, false}, program,
                         machine.seed, machine.run_index, options.isolate);
  CandidateRequest request;
  request.kind = CandidateRequest::Kind::schedule;
  request.schedule = &found.schedule;
  Deviations deviations = runner.run(request).deviations;
  if (std::erase_if(deviations, is_draw) == 0 && is_certain(found.finding)) return;
  if (take_if_certain(runner, deviations, found) || deviations.empty()) return;
  take_if_certain(runner, {}, found);
}

}  // namespace orrery::detail
