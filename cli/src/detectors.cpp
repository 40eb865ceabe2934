#include "detectors.hpp"

#include <utility>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/finding_json.hpp>
#include <orrery/explorers/reruns.hpp>

namespace orrery::cli {

std::shared_ptr<Detector> find_detector(const std::optional<std::string>& name) {
  return name ? make_detector(*name) : nullptr;
}

std::shared_ptr<Detector> detector_for(const SavedRun& saved) {
  for (const Finding& finding : saved.findings) {
    if (const DetectorKind* const kind = detector_of(finding)) return make_detector(kind->name);
  }
  return nullptr;
}

void conclude_watching(Detector* detector, const FoundProgram& program, bool wants_statistics,
                       Outcome& outcome, Json& more_told) {
  if (detector == nullptr) return;
  // What is kept is what this run wrote.
  if (program.image != nullptr) program.image->keep_files("");
  IsolatedReruns reruns(program.machine, program.program, !is_held_by_debugger());
  detector->examine(reruns);
  const std::vector<Finding> remarks = detector->remarks();
  if (!remarks.empty()) more_told["remarks"] = Json::parse(orrery::json_text(remarks));
  if (wants_statistics) {
    for (const auto& [name, count] : detector->counts()) {
      more_told["detection"][std::string(name)] = count;
    }
  }
  if (const auto other = detector->other_run()) {
    std::vector<std::uint8_t> bytes;
    for (const std::byte byte : encode_schedule(*other)) {
      bytes.push_back(static_cast<std::uint8_t>(byte));
    }
    more_told["other_run"] = std::move(bytes);
  }
  add_findings(outcome, detector->findings());
}

std::optional<Schedule> take_other_run(Json& more) {
  const auto found = more.find("other_run");
  if (found == more.end()) return std::nullopt;
  const auto bytes = found->get<std::vector<std::uint8_t>>();
  more.erase("other_run");
  return decode_schedule(std::as_bytes(std::span(bytes)));
}

}  // namespace orrery::cli
