#include "race_reports.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "prediction/race_trials.hpp"
#include "race_story.hpp"

namespace orrery::detail {
namespace {

/// So many races of a run are told in full: nobody reads more of them.
constexpr std::size_t told_races_max = 20;
constexpr std::size_t attempts_max = 5;     ///< for each of them that is tried
constexpr std::size_t trials_usually = 20;  ///< of all together, two runs each

// What the process that does the run again tells, beside what is known already.

nlohmann::json story_of(const FindingPlace& place) {
  nlohmann::json value{{"file", place.file},
                       {"line", place.line},
                       {"function", place.function},
                       {"stack", nlohmann::json::array()},
                       {"locks", nlohmann::json::array()}};
  for (const SourceFrame& frame : place.stack) {
    value["stack"].push_back({frame.file, frame.line, frame.function});
  }
  for (const HeldLock& lock : place.locks.value_or(std::vector<HeldLock>{})) {
    value["locks"].push_back({lock.lock, lock.file, lock.line});
  }
  return value;
}

void take_story(const nlohmann::json& value, FindingPlace& place) {
  value.at("file").get_to(place.file);
  value.at("line").get_to(place.line);
  value.at("function").get_to(place.function);
  place.stack.clear();
  for (const auto& frame : value.at("stack")) {
    place.stack.push_back(
        {frame[0].get<std::string>(), frame[1].get<std::uint32_t>(), frame[2].get<std::string>()});
  }
  place.locks.emplace();
  for (const auto& lock : value.at("locks")) {
    place.locks->push_back(
        {lock[0].get<std::string>(), lock[1].get<std::string>(), lock[2].get<std::uint32_t>()});
  }
}

std::string story_of(std::size_t index, const Finding& finding) {
  nlohmann::json value{{"race", index}, {"message", finding.message}, {"notes", finding.notes}};
  for (const FindingPlace& place : finding.where) value["where"].push_back(story_of(place));
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void take_story(const std::string& told, std::vector<Finding>& findings) {
  const auto value = nlohmann::json::parse(told);
  Finding& finding = findings.at(value.at("race").get<std::size_t>());
  value.at("message").get_to(finding.message);
  value.at("notes").get_to(finding.notes);
  for (std::size_t side = 0; side < finding.where.size(); ++side) {
    take_story(value.at("where").at(side), finding.where[side]);
  }
}

}  // namespace

void RaceReports::begin_run(const RunInfo& info) {
  schedule_.clear();
  names_ = info.names;
  explained_.clear();
  is_over_ = false;
  finder_->begin_run(info);
  finder_wants_schedule_ = finder_->interest().has_any(PackedSchedule::interest());
}

void RaceReports::end_run(const Outcome& outcome) {
  finder_->end_run(outcome);
  is_over_ = true;
}

std::vector<Finding> RaceReports::findings() const {
  return explained_.empty() ? finder_->findings() : explained_;
}

void RaceReports::explain(Reruns& reruns) {
  finder_->explain(reruns);
  explained_ = finder_->findings();
  const std::size_t count = std::min(explained_.size(), finder_->races().size());
  if (!is_over_ || count == 0) return;
  tell_story(reruns, std::min(count, std::max(told_races_max, tried_max_)));
  const std::size_t tried = std::min(count, tried_max_);
  if (tried > 0) try_both_ways(reruns, tried);
  mark_untried(tried);
}

void RaceReports::mark_untried(std::size_t tried) {
  for (std::size_t i = tried; i < explained_.size(); ++i) {
    explained_[i].notes.push_back(
        fmt::format("not tried: of this run {} races were; --detect {}:races={} tries all {}",
                    tried, name_, explained_.size(), explained_.size()));
  }
}

void RaceReports::tell_story(Reruns& reruns, std::size_t count) {
  const std::vector<RaceAccesses> accesses = finder_->races();
  const Schedule schedule = schedule_.schedule();
  const Reruns::Result result = reruns.run([&](const Reruns::Run& run, const Reruns::Tell& tell) {
    std::vector<ToldRace> races;
    for (std::size_t i = 0; i < count; ++i) races.push_back({explained_[i], accesses[i]});
    UndisturbedChooser fallback;
    ScheduleReplayer replayer(schedule, fallback);
    RaceStory story(races, [&](std::size_t i) { tell(story_of(i, races[i].finding)); });
    run(replayer, story, nullptr, RunExtent::as_watched());
  });
  for (const std::string& told : result.told) take_story(told, explained_);
  if (result.failure.empty()) return;
  for (std::size_t i = 0; i < count; ++i) {
    explained_[i].notes.push_back("no more is known of it, for it could not be run again: " +
                                  result.failure);
  }
}

void RaceReports::try_both_ways(Reruns& reruns, std::size_t count) {
  const std::vector<RaceAccesses> accesses = finder_->races();
  const Schedule schedule = schedule_.schedule();
  std::vector<std::size_t> open(count);
  std::iota(open.begin(), open.end(), std::size_t{0});
  std::size_t tried = 0;
  for (std::size_t attempt = 0; attempt < attempts_max && !open.empty(); ++attempt) {
    const std::size_t tried_before = tried;
    const auto prepare = [&](const Reruns::Run& run) -> PlanOfRace {
      const auto traced = std::make_shared<TracedRun>();
      UndisturbedChooser fallback;
      ScheduleReplayer replayer(schedule, fallback);
      run(replayer, *traced, nullptr, RunExtent::as_watched());
      return [&, traced](std::size_t i) -> std::optional<TrialPlan> {
        // What places are called does not depend on the run.
        return plan_way(*traced, *names_, explained_[open[i]], accesses[open[i]], attempt);
      };
    };
    const std::vector<TrialVerdict> verdicts = try_races(reruns, open.size(), prepare);
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      Finding& finding = explained_[open[i]];
      if (verdicts[i].has_way) ++tried;
      if (!verdicts[i].failure.empty()) finding.notes.push_back(verdicts[i].failure);
      if (!verdicts[i].is_judged) continue;
      finding.confirmation =
          verdicts[i].is_shown ? Confirmation::confirmed : Confirmation::unconfirmed;
      if (!verdicts[i].order.empty()) finding.notes.push_back(verdicts[i].order);
      if (!verdicts[i].is_shown) rest.push_back(open[i]);
    }
    if (tried == tried_before || tried >= std::max(trials_usually, 2 * count)) return;
    open = std::move(rest);
  }
}

}  // namespace orrery::detail
