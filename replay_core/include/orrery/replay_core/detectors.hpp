// Detectors: observers that find what is wrong in a run that may look right.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// How far a further run goes.
struct RunExtent {
  /// For who does the same again: to before the step in which the run that was watched died, or was
  /// left where its log ended.
  static constexpr RunExtent as_watched() { return {}; }
  /// In another order a program may never end: after so many steps it is cut.
  static constexpr RunExtent to_its_end(std::uint64_t steps_max) { return {false, steps_max}; }

  bool ends_as_watched = true;
  std::uint64_t steps_max = std::numeric_limits<std::uint64_t>::max();
};

/// Does further runs of the program that is being watched, for detectors that compare runs.
class Reruns {
 public:
  /// A run by this chooser, on the machine of the run that was watched, but in any order that the
  /// chooser wants (reorder window: any); its schedule comes back where it is asked for.
  using Run = std::function<Outcome(Chooser&, Observer&, Schedule*, RunExtent)>;
  using Tell = std::function<void(const std::string&)>;
  /// Does runs as it likes, and tells what came of them.
  using Body = std::function<void(const Run& run, const Tell& tell)>;
  struct Result {
    std::vector<std::string> told;
    std::optional<Finding> death;  ///< of the process in which the body was, in the midst of it
    std::string failure;  ///< why the body could not go on, as for lack of memory; empty: it could
  };

  virtual ~Reruns() = default;
  /// Calls `body`, where possible in a process of its own: then nothing but what it tells comes
  /// back.
  virtual Result run(const Body& body) = 0;
};

/// The two accesses of a data race by more than their lines: the later one first.
struct RaceAccesses {
  AddressRange bytes;  ///< of memory that both accessed; empty: it is a variable
  ObjectId variable;
  std::array<TaskId, 2> tasks;
  std::array<bool, 2> writes{};
};

/// Watches runs, one after the other.  It never steers, and what it finds does not stop the run.
///
///     const std::shared_ptr<orrery::Detector> detector =
///     orrery::make_detector("fasttrack"); options.observers = [=] { return
///     std::vector<orrery::Observer*>{detector.get()}; }; options.observer_findings = [=] { return
///     detector->findings(); }; orrery::Report report = orrery::explore(options, program);
class Detector : public Observer {
 public:
  /// What it has found in the last run, or in the present one so far; in an order that depends on
  /// the run alone.
  [[nodiscard]] virtual std::vector<Finding> findings() const = 0;
  /// Called once after a run that came to its end, before the above, and while the run's names are
  /// still valid: for what takes more runs to know.
  virtual void examine(Reruns&) {}
  /// Called once after that, where what was found is to be shown to people: for what takes more
  /// runs to tell of it.  It changes nothing of what findings are.
  virtual void explain(Reruns&) {}
  /// Of the first findings, one by one, where they are data races.
  [[nodiscard]] virtual std::vector<RaceAccesses> races() const { return {}; }
  /// What people may want to know, and is no fault.
  [[nodiscard]] virtual std::vector<Finding> remarks() const { return {}; }
  /// How much there was to do, by name (`segments`, `segments_compared`).
  [[nodiscard]] virtual std::vector<std::pair<std::string_view, std::uint64_t>> counts() const {
    return {};
  }
  /// Another run that belongs to the first finding; nothing if there is none.
  [[nodiscard]] virtual std::optional<Schedule> other_run() const { return std::nullopt; }
};

/// A remark of a detector that has met nothing of what it is for: `what` says what was not there.
[[nodiscard]] Finding nothing_to_look_at(FindingKind kind, std::string_view what);

/// One detector.  To add one: a source file, a line in the table of detectors.cpp, a test.
struct DetectorKind {
  std::string_view name;
  std::string_view description;
  /// Does it find such ones?  A log with one needs this detector to show it again.
  bool (*gives)(const Finding& finding);
  /// Throws `UsageError` for options that it does not have.
  std::unique_ptr<Detector> (*make)(const NameWithOptions& options);
  bool finds_data_races = false;  ///< `make_detector` gives it full reports
};

/// All detectors, in the order in which `orrery list detectors` prints them.
[[nodiscard]] std::span<const DetectorKind> detectors();
/// The detector of that name.  Throws `UsageError` with the nearest name if there is none.
[[nodiscard]] const DetectorKind& detector_kind(std::string_view name);
/// The detector that `NAME[:key=value,...]` names.  Throws `UsageError` as above, and for options.
[[nodiscard]] std::unique_ptr<Detector> make_detector(std::string_view text);
/// The first detector that gives such findings, or null.
[[nodiscard]] const DetectorKind* detector_of(const Finding& finding);

/// Adds what a detector has found to what else came of a run, less what it tells better: an access
/// to a buffer, and not that the buffer was found changed later.
void add_findings(Outcome& outcome, std::vector<Finding> more);

}  // namespace orrery
