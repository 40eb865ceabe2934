#include "race_trials.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <orrery/sim_runtime/names.hpp>

#include "trial_watch.hpp"

namespace orrery::detail {
namespace {

/// A run of a race: the first or the second access goes first.
struct Trial {
  std::size_t race = 0;
  std::size_t order = 0;
};

/// How it went.
enum class TrialEnd : std::uint8_t { not_tried, no_way, begun, whole, cut, died };
struct Story {
  std::array<TrialEnd, 2> ends{};
  std::array<std::string, 2> deaths;
  bool is_shown = false;
  std::string values;                     ///< `1 or 2`, if what is read differs
  std::string left;                       ///< likewise, if what the two have left does
  std::optional<std::string> difference;  ///< of the second from the first; empty: none
};

/// Whatever type it has: a number where it is small, bytes where it looks like something else.
std::string read_text(std::uint64_t value) {
  constexpr std::uint64_t small = 1'000'000;
  return value < small ? std::to_string(value) : fmt::format("{:#x}", value);
}

/// `1 or 2`; empty: both are the same, or one is not known.
std::string difference_text(std::optional<std::uint64_t> one, std::optional<std::uint64_t> other) {
  if (!one || !other || *one == *other) return {};
  return fmt::format("{} or {}", read_text(*one), read_text(*other));
}

bool is_cut(const Outcome& outcome) {
  return outcome.status == Outcome::Status::limit || outcome.status == Outcome::Status::abandoned;
}

/// In a process of its own: from this trial on, until all is done or the program dies.
void do_trials(const Reruns::Run& run, const Reruns::Tell& tell, Trial from, std::size_t count,
               const PrepareTrials& prepare, TrialOrders orders) {
  const auto say = [&](const Trial& trial, const char* what, const std::string& text = {}) {
    tell(nlohmann::json{trial.race, trial.order, what, text}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace));
  };
  const std::size_t order_count = orders == TrialOrders::both ? 2 : 1;
  const PlanOfRace plan_of = prepare(run);
  for (std::size_t race = from.race; race < count; ++race) {
    const std::optional<TrialPlan> plan = plan_of(race);
    if (!plan) {
      say({race, 0}, "no way");
      continue;
    }
    std::array<TrialWatch, 2> watches{TrialWatch(*plan), TrialWatch(*plan)};
    std::array<bool, 2> are_whole{};
    const std::size_t first_order = race == from.race ? from.order : 0;
    // Up to where both are next the two runs are the same: one that does not come there will do.
    bool may_be_shown = true;
    for (std::size_t order = first_order; order < order_count && may_be_shown; ++order) {
      const Trial trial{race, order};
      say(trial, "begun");
      may_be_shown = false;
      TrialChooser chooser(*plan, order, [&] {
        may_be_shown = true;
        watches[order].both_are_next();
        say(trial, "shown");
      });
      are_whole[order] = !is_cut(run(chooser, watches[order], nullptr, plan->extent()));
      say(trial, are_whole[order] ? "whole" : "cut");
    }
    if (!are_whole[0] || !are_whole[1]) continue;
    say({race, 1}, "values", difference_text(watches[0].value_read(), watches[1].value_read()));
    say({race, 1}, "left", difference_text(watches[0].value_left(), watches[1].value_left()));
    const auto difference = watches[0].trace().difference(watches[1].trace());
    say({race, 1}, "difference", difference ? difference->text : "");
  }
}

Trial take_told(const std::vector<std::string>& told, std::vector<Story>& stories) {
  Trial last;
  for (const std::string& one : told) {
    const auto value = nlohmann::json::parse(one);
    last = {value[0].get<std::size_t>(), value[1].get<std::size_t>()};
    const auto what = value[2].get<std::string>();
    Story& story = stories.at(last.race);
    if (what == "no way") story.ends[0] = TrialEnd::no_way;
    if (what == "begun") story.ends.at(last.order) = TrialEnd::begun;
    if (what == "shown") story.is_shown = true;
    if (what == "whole") story.ends.at(last.order) = TrialEnd::whole;
    if (what == "cut") story.ends.at(last.order) = TrialEnd::cut;
    if (what == "values") story.values = value[3].get<std::string>();
    if (what == "left") story.left = value[3].get<std::string>();
    if (what == "difference") story.difference = value[3].get<std::string>();
  }
  return last;
}

std::string death_text(const Finding& death) {
  std::string text = fmt::format("{}: {}", death.title(), death.message);
  if (!death.where.empty() && !death.where.front().file.empty()) {
    text += fmt::format(" at {}:{}", death.where.front().file, death.where.front().line);
  }
  return text;
}

std::string order_text(const Story& story) {
  const auto& [one, other] = story.ends;
  if (!story.is_shown) return {};
  if (one == TrialEnd::died && other == TrialEnd::died) {
    return "in either order the run dies: " + story.deaths[0];
  }
  if (other == TrialEnd::died) {
    const bool is_whole = one == TrialEnd::whole;
    return "in the other order the run dies: " + story.deaths[1] +
           (is_whole ? "" : "; in this one it did not come to its end");
  }
  if (one == TrialEnd::died) {
    return fmt::format("in this order the run dies ({}), in the other it does not",
                       story.deaths[0]);
  }
  if (one != TrialEnd::whole || other != TrialEnd::whole) {
    return "whether the order matters is not known: a run did not come to its end";
  }
  if (!story.difference) return {};
  std::string values = story.values.empty() ? "" : "; what is read differs: " + story.values;
  if (!story.left.empty()) values += "; what is left there differs: " + story.left;
  if (story.difference->empty()) return "either order gives the same output" + values;
  return "in the other order the run " + *story.difference + values;
}

}  // namespace

void TracedRun::begin_run(const RunInfo& info) {
  trace.begin_run(info);
  decisions.clear();
}

std::vector<TrialVerdict> try_races(Reruns& reruns, std::size_t count, const PrepareTrials& prepare,
                                    TrialOrders orders) {
  std::vector<Story> stories(count);
  std::string failure;
  Trial from;
  while (from.race < count) {
    const Reruns::Result result = reruns.run([&](const Reruns::Run& run, const Reruns::Tell& tell) {
      do_trials(run, tell, from, count, prepare, orders);
    });
    failure = result.failure;
    if (result.told.empty()) break;
    const Trial last = take_told(result.told, stories);
    Story& story = stories[last.race];
    if (!result.death || story.ends.at(last.order) != TrialEnd::begun) break;
    story.ends.at(last.order) = TrialEnd::died;
    story.deaths.at(last.order) = death_text(*result.death);
    const bool has_other = last.order == 0 && orders == TrialOrders::both;
    from = has_other ? Trial{last.race, 1} : Trial{last.race + 1, 0};
  }
  std::vector<TrialVerdict> verdicts;
  for (const Story& story : stories) {
    const bool is_judged = story.ends[0] != TrialEnd::not_tried;
    verdicts.push_back(
        {is_judged, story.ends[0] > TrialEnd::no_way, story.is_shown, order_text(story), {}});
    if (is_judged || failure.empty()) continue;
    verdicts.back().failure = "not tried, for it could not be run again: " + failure;
  }
  return verdicts;
}

namespace {

/// Knows the accesses of one race in a trace.
class AccessesOfRace {
 public:
  AccessesOfRace(const SyncTrace& trace, const Names& names, const Finding& race,
                 const RaceAccesses& accesses)
      : trace_(trace),
        names_(names),
        accesses_(accesses),
        later_(line_of(race.where[0])),
        earlier_(line_of(race.where[1])),
        lines_(trace.places().size()) {}

  [[nodiscard]] bool may_be_one(TraceRef ref) {
    const TraceEvent& event = trace_.at(ref);
    if (!is_there(event)) return false;
    const Line& line = line_of(event);
    return line == later_ || line == earlier_;
  }
  [[nodiscard]] bool are_they(TraceRef one, TraceRef other) {
    const TraceEvent& a = trace_.at(one);
    const TraceEvent& b = trace_.at(other);
    if (one.task == other.task) return false;
    if (a.kind == TraceEvent::Kind::read && b.kind == TraceEvent::Kind::read) return false;
    return (line_of(a) == earlier_ && line_of(b) == later_) ||
           (line_of(a) == later_ && line_of(b) == earlier_);
  }

 private:
  using Line = std::pair<std::string, std::uint32_t>;

  static Line line_of(const FindingPlace& place) {
    return {place.file.empty() ? place.function : place.file, place.line};
  }
  const Line& line_of(const TraceEvent& event) {
    std::optional<Line>& line = lines_[event.place];
    if (!line) {
      line = line_of(event.place != 0 ? names_.place(trace_.places().place(event.place))
                                      : FindingPlace{});
    }
    return *line;
  }
  [[nodiscard]] bool is_there(const TraceEvent& event) const {
    if (accesses_.variable != ObjectId{}) {
      return trace_.variable_at(event.address) == accesses_.variable;
    }
    return event.address < accesses_.bytes.end &&
           accesses_.bytes.begin < event.address + event.size_bytes;
  }

  const SyncTrace& trace_;
  const Names& names_;
  const RaceAccesses& accesses_;
  Line later_;
  Line earlier_;
  std::vector<std::optional<Line>> lines_;  ///< by place
};

}  // namespace

namespace {

/// Two accesses, the earlier one first, and how far apart they are in the trace.
struct NearPair {
  std::uint64_t distance = 0;
  TraceRef one;
  TraceRef other;
};

/// Of each access the nearest one before it of each other task with which it is the race: the less
/// of the run lies between, the likelier both can be next.
void add_near_pairs(const SyncTrace& trace, AccessesOfRace& wanted,
                    const std::vector<TraceRef>& word, std::vector<NearPair>& pairs) {
  constexpr std::size_t looked_back_max = 64;
  std::vector<TraceRef> ones;
  std::ranges::copy_if(word, std::back_inserter(ones),
                       [&](const TraceRef& ref) { return wanted.may_be_one(ref); });
  for (std::size_t i = 0; i < ones.size(); ++i) {
    std::vector<std::uint32_t> seen;
    const std::size_t end = i - std::min(i, looked_back_max);
    for (std::size_t j = i; j-- > end;) {
      const std::uint32_t task = ones[j].task;
      if (!wanted.are_they(ones[j], ones[i]) || std::ranges::count(seen, task) > 0) continue;
      seen.push_back(task);
      pairs.push_back({trace.at(ones[i]).when - trace.at(ones[j]).when, ones[j], ones[i]});
    }
  }
}

std::vector<PredictedRace> ways_to(const SyncTrace& trace, const std::vector<NearPair>& pairs) {
  constexpr std::size_t predicted_max = 2;
  constexpr std::size_t ways_max = 4;
  std::vector<PredictedRace> ways;
  for (const auto& [distance, one, other] : pairs) {
    if (ways.size() == predicted_max) break;
    if (auto found = predict_race(trace, one, other)) ways.push_back(*std::move(found));
  }
  for (const auto& [distance, one, other] : pairs) {
    for (const auto& [first, second] : {std::pair(other, one), std::pair(one, other)}) {
      if (ways.size() == ways_max) return ways;
      if (auto guess = guess_race(trace, first, second)) ways.push_back(*std::move(guess));
    }
  }
  return ways;
}

}  // namespace

std::optional<TrialPlan> plan_way(const TracedRun& traced, const Names& names, const Finding& race,
                                  const RaceAccesses& accesses, std::size_t attempt) {
  constexpr std::size_t pairs_max = 100;
  constexpr std::size_t directed_attempt = 1;
  const SyncTrace& trace = traced.trace;
  AccessesOfRace wanted(trace, names, race, accesses);
  std::vector<NearPair> pairs;
  for (const std::vector<TraceRef>& word : trace.words()) {
    add_near_pairs(trace, wanted, word, pairs);
  }
  if (pairs.empty()) return std::nullopt;
  std::ranges::stable_sort(pairs, {}, &NearPair::distance);
  pairs.resize(std::min(pairs.size(), pairs_max));
  const std::vector<PredictedRace> ways = ways_to(trace, pairs);
  if (attempt == std::min(directed_attempt, ways.size())) {
    return plan_directed_trial(trace, traced.decisions, pairs.front().one, pairs.front().other);
  }
  const std::size_t way = attempt < directed_attempt ? attempt : attempt - 1;
  if (way >= ways.size()) return std::nullopt;
  return plan_trial(trace, traced.decisions, ways[way]);
}

}  // namespace orrery::detail
