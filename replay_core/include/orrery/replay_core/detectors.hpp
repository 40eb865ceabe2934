// Detectors: observers that find what is wrong in a run that may look right.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// Watches runs, one after the other.  It never steers, and what it finds does not stop the run.
///
///     const std::shared_ptr<orrery::Detector> detector =
///     orrery::detector_kind("fasttrack").make(); options.observers = [=] { return
///     std::vector<orrery::Observer*>{detector.get()}; }; options.observer_findings = [=] { return
///     detector->findings(); }; orrery::Report report = orrery::explore(options, program);
class Detector : public Observer {
 public:
  /// What it has found in the last run, or in the present one so far; in an order that depends on
  /// the run alone.
  [[nodiscard]] virtual std::vector<Finding> findings() const = 0;
};

/// One detector.  To add one: a source file, a line in the table of detectors.cpp, a test.
struct DetectorKind {
  std::string_view name;
  std::string_view description;
  FindingKind finds;  ///< a log with such a finding needs this detector to show it again
  std::unique_ptr<Detector> (*make)();
};

/// All detectors, in the order in which `orrery list detectors` prints them.
[[nodiscard]] std::span<const DetectorKind> detectors();
/// The detector of that name.  Throws `UsageError` with the nearest name if there is none.
[[nodiscard]] const DetectorKind& detector_kind(std::string_view name);
/// The first detector that gives such findings, or null.
[[nodiscard]] const DetectorKind* detector_of(FindingKind finding);

}  // namespace orrery
