// Detectors by name, for the commands that do runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/explorers/explorer.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/suppressions.hpp>

#include "console.hpp"
#include "json_report.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// `fasttrack, recplay and eraser`: those of all detectors that the predicate takes.
[[nodiscard]] std::string detector_names(bool (*takes)(const DetectorKind&),
                                         std::string_view before_last);

/// The detector of that name, with its options; null if none was asked for.  Throws `UsageError`
/// with the nearest name if there is none.
[[nodiscard]] std::unique_ptr<Detector> find_detector(const std::optional<std::string>& name);

/// The detector that shows the findings of a log again; null if they need none.
[[nodiscard]] std::unique_ptr<Detector> detector_for(const SavedRun& saved);

/// A detector, and which of its findings nobody wants.
struct ChosenDetector {
  std::shared_ptr<Detector> detector;
  Suppressions suppressions = {};
  /// What is of no effect among these.  Said when the program was found: until then the command may
  /// begin anew.
  std::string remark = {};
};

/// That detector, less what the file of suppressions names, where one is given.  Throws
/// `UsageError` for a file that does not parse, or without a detector.
[[nodiscard]] ChosenDetector less_suppressed(std::unique_ptr<Detector> detector,
                                             const std::optional<std::string>& path);

/// After a run, in its process: lets the detector, if there is one, do its further runs, and adds
/// what it has found to what else came of the run.  Its remarks go to `more["remarks"]`, with
/// statistics its counts to `more["detection"]`, and the run that belongs to its first finding to
/// `more["other_run"]`.  `last_step`: where the run ended before its time.
void conclude_watching(Detector* detector, const FoundProgram& program, bool wants_statistics,
                       Outcome& outcome, Json& more,
                       std::optional<std::uint64_t> last_step = std::nullopt);
/// Takes that run out again.
[[nodiscard]] std::optional<Schedule> take_other_run(Json& more);

/// Lets a detector, if there is one, watch all runs of a search or a shrinking.
template <typename Options>
void watch_runs(const std::shared_ptr<Detector>& detector, Options& options) {
  if (detector == nullptr) return;
  options.observers = [detector] { return std::vector<Observer*>{detector.get()}; };
  options.observer_findings = [detector] { return detector->findings(); };
  options.examine = [detector](Reruns& reruns) { detector->examine(reruns); };
  if constexpr (requires { options.explain; }) {
    options.explain = [detector](Reruns& reruns) { detector->explain(reruns); };
  }
  if constexpr (requires { options.other_run; }) {
    options.other_run = [detector] { return detector->other_run(); };
  }
}

/// Lets a search count what is suppressed, by the lines of the list.
void count_suppressed(const ChosenDetector& chosen, ExploreOptions& options);

}  // namespace orrery::cli
