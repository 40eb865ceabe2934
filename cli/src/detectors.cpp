#include "detectors.hpp"

#include <utility>

#include <fmt/format.h>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/finding_json.hpp>
#include <orrery/explorers/reruns.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/suppressions.hpp>

namespace orrery::cli {

std::unique_ptr<Detector> find_detector(const std::optional<std::string>& name) {
  return name ? make_detector(*name) : nullptr;
}

std::unique_ptr<Detector> detector_for(const SavedRun& saved) {
  for (const Finding& finding : saved.findings) {
    if (const DetectorKind* const kind = detector_of(finding)) return make_detector(kind->name);
  }
  return nullptr;
}

std::shared_ptr<Detector> less_suppressed(std::unique_ptr<Detector> detector,
                                          const std::optional<std::string>& path,
                                          const Console& console) {
  if (!path) return detector;
  if (detector == nullptr) {
    throw UsageError("is about what detectors find", "--suppressions",
                     "name a detector of data races, too: --detect fasttrack");
  }
  Suppressions suppressions = Suppressions::read(*path);
  std::string remarks;
  for (const std::string& line : suppressions.without_effect()) {
    remarks += fmt::format("{}: {} is of no effect: detectors here find data races\n", *path, line);
  }
  if (!console.is_json) print_note(console, remarks);
  return suppressing(std::move(detector), std::move(suppressions));
}

std::uint64_t count_of(const Detector& detector, std::string_view name) {
  for (const auto& [known, count] : detector.counts()) {
    if (known == name) return count;
  }
  return 0;
}

void conclude_watching(Detector* detector, const FoundProgram& program, bool wants_statistics,
                       Outcome& outcome, Json& more_told, std::optional<std::uint64_t> last_step) {
  if (detector == nullptr) return;
  // What is kept is what this run wrote.
  if (program.image != nullptr) program.image->keep_files("");
  IsolatedReruns reruns(program.machine, program.program, !is_held_by_debugger(), last_step);
  detector->examine(reruns);
  detector->explain(reruns);
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
