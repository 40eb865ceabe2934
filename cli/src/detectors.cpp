#include "detectors.hpp"

#include <iterator>

namespace orrery::cli {

std::shared_ptr<Detector> find_detector(const std::optional<std::string>& name) {
  return name ? detector_kind(*name).make() : nullptr;
}

std::shared_ptr<Detector> detector_for(const SavedRun& saved) {
  for (const Finding& finding : saved.findings) {
    if (const DetectorKind* const kind = detector_of(finding.kind)) return kind->make();
  }
  return nullptr;
}

void add_findings(const Detector* detector, Outcome& outcome) {
  if (detector == nullptr) return;
  std::vector<Finding> more = detector->findings();
  if (more.empty()) return;
  outcome.status = Outcome::Status::finding;
  outcome.findings.insert(outcome.findings.end(), std::make_move_iterator(more.begin()),
                          std::make_move_iterator(more.end()));
}

}  // namespace orrery::cli
