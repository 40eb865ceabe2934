// Programs of the C++ API under a detector.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <orrery/explorers/explorer.hpp>
#include <orrery/replay_core/detectors.hpp>

namespace orrery::test {

/// All findings of `runs` random runs under this detector.
inline std::vector<Finding> findings_under(
    const std::string& detector_text, const Program& program, std::uint64_t runs,
    const SimulationOptions& machine = ExploreOptions::any_order_simulation()) {
  ExploreOptions options;
  options.name = "race";
  options.runs = runs;
  options.seed = machine.seed;
  options.keep_going = true;
  options.shrink = options.save_logs = options.isolate = false;
  options.simulation = machine;
  const std::shared_ptr<Detector> detector = make_detector(detector_text);
  options.observers = [detector] { return std::vector<Observer*>{detector.get()}; };
  options.examine = [detector](Reruns& reruns) { detector->examine(reruns); };
  options.observer_findings = [detector] { return detector->findings(); };
  std::vector<Finding> findings;
  for (const FoundRun& found : explore(options, program).findings) {
    findings.push_back(found.finding);
    findings.insert(findings.end(), found.others.begin(), found.others.end());
  }
  return findings;
}

}  // namespace orrery::test
