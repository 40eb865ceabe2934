#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/fasttrack.hpp>
#include <orrery/replay_core/mpi_buffers.hpp>

#include "eraser.hpp"
#include "hybrid.hpp"
#include "message_race_detector.hpp"
#include "prediction/sync_preserving_detector.hpp"
#include "race_reports.hpp"
#include "recplay.hpp"
#include "told_races.hpp"

namespace orrery {
namespace {

template <std::unique_ptr<Detector> (*make)()>
std::unique_ptr<Detector> make_without_options(const NameWithOptions& options) {
  options.allow_no_count();
  options.allow_keys({});
  return make();
}
/// With those that all detectors of data races have.
template <std::unique_ptr<Detector> (*make)()>
std::unique_ptr<Detector> make_of_races(const NameWithOptions& options) {
  options.allow_no_count();
  options.allow_keys({"races"});
  return make();
}

bool is_race_of_class(const Finding& finding, std::string_view class_name) {
  return finding.kind == FindingKind::data_race && finding.class_name == class_name;
}

constexpr std::array<DetectorKind, 7> table = {{
    {"fasttrack",
     "data races: accesses to one variable that nothing orders, one of them a write; races=N (10), "
     "of "
     "this one and the next four: of so many races of a run it is tried what their order changes",
     [](const Finding& one) { return is_race_of_class(one, ""); }, make_of_races<make_fasttrack>,
     true},
    {"recplay",
     "the same, by comparing what parallel segments of the run accessed; the run is done again to "
     "name the accesses; matrix_clocks=no: keep all segments to the end",
     [](const Finding& one) { return is_race_of_class(one, detail::parallel_segments); },
     make_recplay, true},
    {"eraser", "variables that several tasks access, and no lock protects at every access",
     [](const Finding& one) { return is_race_of_class(one, detail::locking_discipline); },
     make_of_races<make_eraser>, true},
    {"hybrid",
     "accesses to one variable without a common lock that only the order of locks keeps apart",
     [](const Finding& one) { return is_race_of_class(one, detail::no_common_lock); },
     make_of_races<make_hybrid>, true},
    {"sync-preserving",
     "races of other runs that take each lock in the same order, predicted from this one; each is "
     "confirmed by a run",
     [](const Finding& one) { return is_race_of_class(one, detail::other_run_class); },
     make_of_races<make_sync_preserving>, true},
    {"message_race",
     "messages that one receive could each have taken, where that makes a difference; reruns=N "
     "(40): at most so many further runs a run; compare=output: as far as people see it",
     [](const Finding& one) { return one.kind == FindingKind::message_race; },
     make_message_race_detector},
    {"mpi_buffers",
     "accesses of an MPI program to buffers that operations under way have, and its stores to "
     "windows where a put or an accumulate is not complete",
     is_access_to_lent_memory, make_without_options<make_mpi_buffers>},
}};

}  // namespace

Finding nothing_to_look_at(FindingKind kind, std::string_view what) {
  return {kind,
          fmt::format("{}: this detector had nothing to look at (see orrery list detectors)", what),
          {},
          "not applicable"};
}

std::span<const DetectorKind> detectors() {
  return table;
}

const DetectorKind& detector_kind(std::string_view name) {
  const auto found = std::ranges::find(table, name, &DetectorKind::name);
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  for (const DetectorKind& kind : table) names.emplace_back(kind.name);
  throw UsageError(fmt::format("there is no detector '{}'", name), "--detect",
                   name_hint(name, names));
}

std::unique_ptr<Detector> make_detector(std::string_view text) {
  const NameWithOptions options = NameWithOptions::parse(text, "--detect");
  const DetectorKind& kind = detector_kind(options.name());
  std::unique_ptr<Detector> detector = kind.make(options);
  if (!kind.finds_data_races) return detector;
  const std::uint64_t tried = options.whole_number("races", detail::RaceReports::tried_usually);
  return std::make_unique<detail::RaceReports>(std::move(detector), kind.name, tried);
}

const DetectorKind* detector_of(const Finding& finding) {
  const auto found =
      std::ranges::find_if(table, [&](const DetectorKind& kind) { return kind.gives(finding); });
  return found != table.end() ? &*found : nullptr;
}

void add_findings(Outcome& outcome, std::vector<Finding> more) {
  if (more.empty()) return;
  std::erase_if(outcome.findings, [&](const Finding& one) {
    return std::ranges::any_of(more, [&](const Finding& other) { return tells_of(other, one); });
  });
  outcome.status = Outcome::Status::finding;
  outcome.findings.insert(outcome.findings.end(), std::make_move_iterator(more.begin()),
                          std::make_move_iterator(more.end()));
}

}  // namespace orrery
