// Detectors by name, for the commands that do runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/saved_run.hpp>

namespace orrery::cli {

/// The detector of that name; null if none was asked for.  Throws `UsageError` with the nearest
/// name if there is none.
[[nodiscard]] std::shared_ptr<Detector> find_detector(const std::optional<std::string>& name);

/// The detector that shows the findings of a log again; null if they need none.
[[nodiscard]] std::shared_ptr<Detector> detector_for(const SavedRun& saved);

/// Adds what the detector, if there is one, has found to what else came of the run.
void add_findings(const Detector* detector, Outcome& outcome);

/// Lets a detector, if there is one, watch all runs of a search or a shrinking.
template <typename Options>
void watch_runs(const std::shared_ptr<Detector>& detector, Options& options) {
  if (detector == nullptr) return;
  options.observers = [detector] { return std::vector<Observer*>{detector.get()}; };
  options.observer_findings = [detector] { return detector->findings(); };
}

}  // namespace orrery::cli
