#include "race_frontier.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/recorded_job.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "detectors.hpp"
#include "watched_death.hpp"

namespace orrery::cli {
namespace {

bool is_death(FindingKind kind) {
  return kind == FindingKind::crash || kind == FindingKind::assertion ||
         kind == FindingKind::exception;
}

/// Of a real run it is known which signal, or status, its process ended with.
bool is_real_end(const Finding& recorded, const Finding& found) {
  if (found.kind == FindingKind::divergence) return false;
  if (recorded.class_name == ended_from_outside) return true;
  if (is_death(recorded.kind)) return is_death(found.kind);
  const bool tell_codes = recorded.exit_code && found.exit_code;
  return found.kind == recorded.kind && (!tell_codes || recorded.exit_code == found.exit_code);
}

bool was_ended_from_outside(const SavedRun& saved) {
  return saved.is_real && !saved.findings.empty() &&
         saved.findings.front().class_name == ended_from_outside;
}

bool is_recorded_end(const SavedRun& saved, const std::vector<Finding>& found) {
  if (saved.findings.empty()) return found.empty();
  if (found.empty()) return false;
  const Finding& recorded = saved.findings.front();
  return saved.is_real ? is_real_end(recorded, found.front()) : found.front().is_same_as(recorded);
}

bool is_of_real_threads(const SavedRun& saved) {
  return saved.is_real || saved.stamps.is_of_library;
}

/// What else than the order of accesses may lead a replay another way.
std::string other_reasons(const SavedRun& saved) {
  std::string text = "the program may depend on what the log does not hold";
  if (is_of_real_threads(saved)) {
    text +=
        ", as on accesses of libraries, memory that other processes write to, addresses, or system "
        "calls and instructions whose results are not recorded (orrery record has said what it saw "
        "of these)";
  }
  return text;
}

/// The replay, watched.  `fallback`: whose turn it is where the log leaves that open.
IsolatedResult run_watched(const FoundProgram& program, const SavedRun& saved, Chooser& fallback,
                           Detector& detector) {
  const auto replayer =
      recorder_kind(saved.method).make_replayer(saved, fallback, ReplayMode::strict);
  IsolatedRun request{.program = program.program,
                      .machine = program.machine,
                      .chooser = replayer->chooser(),
                      .observers = {},
                      .on_output = {},
                      .drive = {},
                      .conclude = {},
                      .keeps_schedule = false};
  if (Observer* const own = replayer->observer()) request.observers.push_back(own);
  request.observers.push_back(&detector);
  request.conclude = [&](Simulation&, const Schedule&, Outcome& outcome, Json& more) {
    conclude_watching(&detector, program, false, outcome, more, steps_followed(outcome));
  };
  IsolatedResult watched = run_isolated(request);
  look_at_death(&detector, program, request, replayer->observer(), watched);
  return watched;
}

}  // namespace

bool has_gone_otherwise(const SavedRun& saved, const IsolatedResult& replayed) {
  const bool spins = replayed.has_died && replayed.outcome.spins_at.has_value();
  return replayed.more.contains("parted") ||
         (saved.is_whole && (spins || !is_recorded_end(saved, replayed.outcome.findings)));
}

void take_end_from_outside(const SavedRun& saved, IsolatedResult& replayed) {
  Outcome& outcome = replayed.outcome;
  if (!was_ended_from_outside(saved) || outcome.status != Outcome::Status::limit) return;
  outcome.status = Outcome::Status::finding;
  outcome.limit = Limit::none;
  outcome.findings = {saved.findings.front()};
  const auto spins_at = std::exchange(outcome.spins_at, std::nullopt);
  if (spins_at) outcome.findings.front().where = {*spins_at};
}

std::uint64_t steps_followed(const Outcome& outcome) {
  return std::max<std::uint64_t>(outcome.steps, 1);
}

std::string look_for_race(const SavedRun& saved, const FoundProgram& program,
                          const FindWatched& find_watched, IsolatedResult& replayed) {
  const bool is_foreign = program.info.kind == ProgramInfo::Kind::binary && !program.remark.empty();
  if (is_held_by_debugger())
    return "without a debugger the replay looks for a data race before that";
  if (is_foreign) {
    return "that may be a data race: build the program with orrery cc (orrery c++) and record it "
           "again; its replay then names the accesses that race, and how far it is faithful.  Or " +
           other_reasons(saved);
  }
  const std::unique_ptr<Detector> detector = make_detector("recplay");
  std::optional<FoundProgram> seen;
  try {
    seen = find_watched(*detector);
  } catch (const UsageError& error) {
    return fmt::format("that may be a data race, which nobody can see: {}", error.what());
  }
  UndisturbedChooser undisturbed;
  const auto random = make_strategy("random");
  const auto turns = random->chooser({});
  const bool spins = replayed.has_died && replayed.outcome.spins_at.has_value();
  // Who spins lets the others go on if each look at memory is a step, and somebody else has turns.
  if (spins) seen->machine.preemption = Preemption::all;
  IsolatedResult watched =
      run_watched(*seen, saved, spins ? *turns : static_cast<Chooser&>(undisturbed), *detector);
  std::erase_if(watched.outcome.findings,
                [](const Finding& one) { return one.kind != FindingKind::data_race; });
  if (watched.outcome.findings.empty()) {
    return "no data race comes before that (recplay): " + other_reasons(saved);
  }
  add_findings(replayed.outcome, std::move(watched.outcome.findings));
  if (watched.more.contains("remarks")) replayed.more["remarks"] = watched.more.at("remarks");
  return fmt::format(
      "the replay is the recorded run up to the race frontier; what comes after it depends on the "
      "order of these accesses, which the log does not hold: {} does",
      is_of_real_threads(saved) ? "orrery record --method stride" : "a log by --method stride");
}

}  // namespace orrery::cli
