#include "detectors.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/finding_json.hpp>
#include <orrery/explorers/reruns.hpp>
#include <orrery/network_model/usage_error.hpp>

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

std::string detector_names(bool (*takes)(const DetectorKind&), std::string_view before_last) {
  std::vector<std::string_view> names;
  for (const DetectorKind& kind : detectors()) {
    if (takes(kind)) names.push_back(kind.name);
  }
  const auto all_but_last = std::span(names).first(names.size() - 1);
  return fmt::format("{} {} {}", fmt::join(all_but_last, ", "), before_last, names.back());
}

ChosenDetector less_suppressed(std::unique_ptr<Detector> detector,
                               const std::optional<std::string>& path) {
  if (!path) return {std::move(detector)};
  if (detector == nullptr) {
    const auto finds_races = [](const DetectorKind& kind) { return kind.finds_data_races; };
    throw UsageError(
        "is about what detectors find", "--suppressions",
        "name a detector of data races, too: --detect " + detector_names(finds_races, "or"));
  }
  ChosenDetector chosen;
  chosen.suppressions = Suppressions::read(*path);
  for (const std::string& line : chosen.suppressions.without_effect()) {
    chosen.remark +=
        fmt::format("{}: {} is of no effect: detectors here find data races\n", *path, line);
  }
  chosen.detector = suppressing(std::move(detector), chosen.suppressions);
  return chosen;
}

void count_suppressed(const ChosenDetector& chosen, ExploreOptions& options) {
  const std::size_t line_count = chosen.suppressions.lines().size();
  if (line_count == 0) return;
  options.suppressed = [detector = chosen.detector, line_count] {
    // Behind all that it counts otherwise: how many by each line.
    const auto counts = detector->counts();
    std::vector<std::uint64_t> by_line(line_count);
    std::transform(counts.end() - static_cast<std::ptrdiff_t>(line_count), counts.end(),
                   by_line.begin(), [](const auto& one) { return one.second; });
    return by_line;
  };
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
