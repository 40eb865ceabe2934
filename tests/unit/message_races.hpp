// What the detector of message races says of one run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/reruns.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery::test {

struct Races {
  std::vector<Finding> findings;  ///< other ones of the run among them
  std::vector<Finding> remarks;

  [[nodiscard]] std::string text() const {
    std::string result;
    for (const auto* list : {&findings, &remarks}) {
      for (const Finding& one : *list) result += one.title() + ": " + one.message + "\n";
    }
    return result;
  }
};

/// `watcher`, if there is one, watches the run as well.
inline Races races_in(const Program& program, std::uint64_t reruns = 40, std::uint64_t seed = 1,
                      Observer* watcher = nullptr) {
  const std::shared_ptr<Detector> detector =
      make_detector("message_race:reruns=" + std::to_string(reruns));
  ExploreOptions options;
  options.runs = 1;
  options.seed = seed;
  options.shrink = options.save_logs = options.isolate = false;
  Races races;
  options.observers = [&] {
    std::vector<Observer*> observers{detector.get()};
    if (watcher != nullptr) observers.push_back(watcher);
    return observers;
  };
  options.examine = [&](Reruns&) {
    // Not in this process: some programs die.
    SimulationOptions machine = options.simulation;
    machine.seed = seed;
    IsolatedReruns isolated(machine, program);
    detector->examine(isolated);
    races.remarks = detector->remarks();
  };
  options.observer_findings = [&] { return detector->findings(); };
  const Report report = explore(options, program);
  for (const FoundRun& found : report.findings) {
    races.findings.push_back(found.finding);
    races.findings.insert(races.findings.end(), found.others.begin(), found.others.end());
  }
  return races;
}

}  // namespace orrery::test
