#include "message_race_detector.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {
namespace {

using Verdict = RaceTrial::Verdict;

constexpr std::size_t trials_per_group_max = 8;

/// Watches a run that goes the other way.
class OtherRun final : public Observer {
 public:
  OtherRun(OperationId receiver, OperationId send, const std::function<void()>& tell_shown)
      : receiver_(receiver), send_(send), tell_shown_(tell_shown) {}

  void begin_run(const RunInfo& info) override { trace_.begin_run(info.names); }
  [[nodiscard]] EventMask interest() const override {
    return RunTrace::interest() | EventMask::matching();
  }
  void on_event(const Event& event) override { trace_.on_event(event); }
  void on_matching(const MatchingStep& step) override {
    using Kind = MatchingStep::Kind;
    if (step.kind != Kind::taken && step.kind != Kind::seen) return;
    if (is_shown_ || step.receiver != receiver_ || step.send != send_) return;
    is_shown_ = true;
    tell_shown_();
  }
  void end_run(const Outcome& outcome) override { trace_.end_run(outcome); }

  [[nodiscard]] bool is_shown() const { return is_shown_; }
  [[nodiscard]] const RunTrace& trace() const { return trace_; }

 private:
  OperationId receiver_;
  OperationId send_;
  const std::function<void()>& tell_shown_;
  RunTrace trace_;
  bool is_shown_ = false;
};

// The process that reruns races says `{"shown": n}` when the n-th is a race indeed, and then what
// came of it.
std::string words_of(std::size_t number, const RaceTrial& trial) {
  nlohmann::json value{{"number", number},
                       {"verdict", static_cast<unsigned>(trial.verdict)},
                       {"difference", trial.difference},
                       {"where",
                        {trial.where.file, trial.where.line, trial.where.function, trial.where.task,
                         trial.where.role}}};
  value["schedule"] = std::vector<std::uint8_t>(trial.schedule.begin(), trial.schedule.end());
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RaceTrial trial_from(const nlohmann::json& value) {
  RaceTrial trial;
  trial.verdict = static_cast<Verdict>(value.at("verdict").get<unsigned>());
  trial.difference = value.at("difference").get<std::string>();
  const auto& where = value.at("where");
  trial.where.file = where[0].get<std::string>();
  trial.where.line = where[1].get<std::uint32_t>();
  trial.where.function = where[2].get<std::string>();
  trial.where.task = where[3].get<std::string>();
  trial.where.role = where[4].get<std::string>();
  const auto bytes = value.at("schedule").get<std::vector<std::uint8_t>>();
  trial.schedule.assign(bytes.begin(), bytes.end());
  return trial;
}

RaceTrial trial_of_death(const Finding& death) {
  RaceTrial trial;
  trial.verdict = Verdict::harmful;
  trial.difference = fmt::format("ends with {}: {}", death.title(), death.message);
  if (!death.where.empty()) trial.where = death.where.front();
  return trial;
}

std::string wanted_text(const Receiver& receiver) {
  const std::string source = receiver.source == any_source
                                 ? std::string("any rank")
                                 : fmt::format("rank {}", receiver.source);
  return receiver.tag == any_tag ? source + ", any tag"
                                 : fmt::format("{}, tag {}", source, receiver.tag);
}

}  // namespace

void RaceGroup::add(const MessageRace& race) {
  constexpr std::size_t kept_max = 64;
  if (count++ % stride != 0) return;
  kept.push_back(race);
  if (kept.size() < kept_max) return;
  for (std::size_t i = 0; 2 * i < kept.size(); ++i) kept[i] = kept[2 * i];
  kept.resize((kept.size() + 1) / 2);
  stride *= 2;
}

const RaceTrial* RaceGroup::telling() const {
  for (const Verdict wanted : {Verdict::harmful, Verdict::other_values}) {
    const auto found = std::ranges::find(trials, wanted, &RaceTrial::verdict);
    if (found != trials.end()) return &*found;
  }
  const auto shown = std::ranges::find_if(trials, [](const RaceTrial& trial) {
    return trial.verdict == Verdict::benign || trial.verdict == Verdict::undecided;
  });
  return shown == trials.end() ? nullptr : &*shown;
}

// --- watching ---------------------------------------------------------------------------------

EventMask MessageRaceDetector::interest() const {
  return MessageHistory::interest() | RunTrace::interest() | EventMask::steps() |
         EventMask::choices();
}

void MessageRaceDetector::begin_run(const RunInfo& info) {
  names_ = info.names;
  history_.clear();
  trace_.begin_run(info.names);
  steps_.clear();
  answers_ = {};
  groups_.clear();
  failure_.clear();
  has_ended_ = false;
}

void MessageRaceDetector::on_task(TaskId task, std::span<const TaskId> predecessors) {
  history_.on_task(task, predecessors);
}

void MessageRaceDetector::on_matching(const MatchingStep& step) {
  history_.on_matching(step);
  using Kind = MatchingStep::Kind;
  if (step.kind == Kind::taken || step.kind == Kind::seen) {
    answers_.messages[step.receiver.packed()] = step.send.packed();
  }
}

void MessageRaceDetector::on_event(const Event& event) {
  history_.on_event(event);
  trace_.on_event(event);
  // A step that ends a receive belongs to what comes after that.
  const bool is_of_step = !steps_.empty() && steps_.back().step.id == event.id;
  if (is_of_step && MessageHistory::may_end_message(event.kind)) {
    steps_.back().when = history_.now(event.id.task);
  }
}

void MessageRaceDetector::on_step(const Alternative& taken) {
  Step step{{taken.id, taken.kind}, {}};
  if (!is_machine_step(taken.kind)) step.when = history_.now(taken.id.task);
  steps_.push_back(step);
}

void MessageRaceDetector::on_choice(const ChoicePoint& point, std::size_t index) {
  if (point.kind == ChoiceKind::step || point.kind == ChoiceKind::message) return;
  answers_.choices[point.question] = point.alternatives[index].id.packed();
}

void MessageRaceDetector::on_value(const ValueQuestion& question, std::uint64_t answer) {
  // What clocks say follows from the order that is tried.
  if (question.kind != ChoiceKind::clock) answers_.draws[question.question] = answer;
}

void MessageRaceDetector::end_run(const Outcome& outcome) {
  trace_.end_run(outcome);
  has_ended_ =
      outcome.status == Outcome::Status::clean || outcome.status == Outcome::Status::finding;
}

// --- the other way ----------------------------------------------------------------------------

bool MessageRaceDetector::is_in_past(const Step& step, const VectorClock& past) const {
  if (!is_machine_step(step.step.kind)) return past.covers(step.when);
  const auto sent = history_.message_of(step.step.id);
  if (!sent) return true;  // nobody receives it: a remote call, or what a fault is about
  const std::uint32_t task = step.step.id.task.value;
  return past.covers({task, message(*sent).clock.of(task)});
}

std::vector<PlannedStep> MessageRaceDetector::plan(const MessageRace& race) const {
  const Receiver& receiver = history_.receivers()[race.receiver];
  const OperationId taken = message(race.taken).send;
  const OperationId other = message(race.other).send;
  const auto is_delivery_of = [](const Step& step, OperationId send) {
    return step.step.id == send && step.step.kind == OperationKind::deliver;
  };
  const VectorClock past = past_of(history_, race);
  std::vector<PlannedStep> first;
  std::vector<PlannedStep> rest;
  std::vector<PlannedStep> deliveries;
  PlannedStep begin;
  bool has_begun = false;
  for (const Step& step : steps_) {
    // What has begun and waits is not the step that takes the message: a delivery is.
    const bool begins = step.step.id == receiver.id && !is_machine_step(step.step.kind);
    const bool waits = step.step.kind == OperationKind::post_receive;
    if (begins) has_begun = true;
    if (begins && !waits) {
      begin = step.step;
    } else if (is_delivery_of(step, other)) {
      deliveries.push_back(step.step);
    } else if (is_delivery_of(step, taken) && has_begun) {
      rest.push_back(step.step);
    } else {
      (is_in_past(step, past) ? first : rest).push_back(step.step);
    }
  }
  // A message that nobody took may not have been delivered.
  if (deliveries.empty()) deliveries.push_back({other, OperationKind::deliver});
  first.insert(first.end(), deliveries.begin(), deliveries.end());
  if (begin.kind != OperationKind::none) first.push_back(begin);
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

PlannedAnswers MessageRaceDetector::answers(const MessageRace& race) const {
  PlannedAnswers result = answers_;
  const std::uint64_t taken = message(race.taken).send.packed();
  const std::uint64_t other = message(race.other).send.packed();
  for (auto& [receiver, send] : result.messages) {
    if (send == taken) {
      send = other;
    } else if (send == other) {
      send = taken;
    }
  }
  return result;
}

RaceTrial MessageRaceDetector::try_race(const MessageRace& race, const Reruns::Run& run,
                                        const std::function<void()>& tell_shown) const {
  RaceTrial trial;
  PlanChooser chooser(plan(race), answers(race));
  OtherRun other(history_.receivers()[race.receiver].id, message(race.other).send, tell_shown);
  Schedule schedule;
  const Outcome outcome = run(chooser, other, &schedule, RunExtent::as_watched());
  if (!other.is_shown()) {
    trial.verdict = Verdict::not_shown;
  } else if (outcome.status == Outcome::Status::limit ||
             outcome.status == Outcome::Status::abandoned) {
    trial.verdict = Verdict::undecided;
  } else if (auto difference = trace_.difference(other.trace());
             difference && (difference->is_seen || options_.compares_messages)) {
    trial.verdict = difference->is_seen ? Verdict::harmful : Verdict::other_values;
    trial.difference = std::move(difference->text);
    trial.where = std::move(difference->where);
    const std::vector<std::byte> bytes = encode_schedule(schedule);
    trial.schedule.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } else {
    trial.verdict = Verdict::benign;
  }
  return trial;
}

void MessageRaceDetector::make_groups() {
  using Line = std::pair<std::string, std::uint32_t>;
  using Lines = std::tuple<Line, Line, Line>;
  // Ranks of a program may have a line at different addresses.
  std::map<PlaceNumber, Line> known;
  const auto line_of = [&](PlaceNumber number) -> const Line& {
    const auto [found, is_new] = known.try_emplace(number);
    if (is_new && number != 0) {
      const FindingPlace place = names_->place(history_.places().place(number));
      found->second = {place.file.empty() ? place.function : place.file, place.line};
    }
    return found->second;
  };
  std::map<Lines, std::size_t> index;
  find_message_races(history_, [&](const MessageRace& race) {
    // Which of the two sends came first this time makes no other race of it.
    const auto [less, more] =
        std::minmax(line_of(message(race.taken).place), line_of(message(race.other).place));
    const Lines lines{line_of(history_.receivers()[race.receiver].place), less, more};
    const auto [found, is_new] = index.try_emplace(lines, groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[found->second].add(race);
  });
  for (RaceGroup& group : groups_) {
    const std::size_t count = std::min(group.kept.size(), trials_per_group_max);
    for (std::size_t i = 0; i < count; ++i) {
      group.chosen.push_back(group.kept[i * group.kept.size() / count]);
    }
  }
}

std::vector<MessageRaceDetector::Trial> MessageRaceDetector::all_trials() const {
  std::vector<Trial> trials;
  for (std::size_t round = 0; round < trials_per_group_max; ++round) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const std::vector<MessageRace>& chosen = groups_[i].chosen;
      if (round < chosen.size()) trials.push_back({i, chosen[round]});
    }
  }
  return trials;
}

std::size_t MessageRaceDetector::next_trial(const std::vector<Trial>& trials, std::size_t from,
                                            const std::set<std::size_t>& decided) {
  while (from < trials.size() && decided.contains(trials[from].group)) ++from;
  return from;
}

void MessageRaceDetector::examine(Reruns& reruns) {
  if (!has_ended_) return;
  make_groups();
  const std::vector<Trial> trials = all_trials();
  std::uint64_t left = options_.reruns_max;
  std::set<std::size_t> decided;  // a harmful race of theirs is known
  const auto take = [&](std::size_t number, RaceTrial trial) {
    const std::size_t group = trials[number].group;
    if (trial.verdict == Verdict::harmful) decided.insert(group);
    groups_[group].trials.push_back(std::move(trial));
    --left;
  };
  // One process does them all, unless it dies over one.
  for (std::size_t next = 0; left > 0 && next < trials.size();) {
    const Reruns::Result result = reruns.run([&](const Reruns::Run& run, const Reruns::Tell& tell) {
      std::set<std::size_t> known = decided;
      std::uint64_t rest = left;
      for (std::size_t i = next; rest > 0; ++i, --rest) {
        i = next_trial(trials, i, known);
        if (i == trials.size()) return;
        const auto tell_shown = [&] { tell(nlohmann::json{{"shown", i}}.dump()); };
        const RaceTrial trial = try_race(trials[i].race, run, tell_shown);
        if (trial.verdict == Verdict::harmful) known.insert(trials[i].group);
        tell(words_of(i, trial));
      }
    });
    bool is_shown = false;
    for (const std::string& text : result.told) {
      const auto value = nlohmann::json::parse(text);
      is_shown = value.contains("shown");
      if (is_shown) continue;
      const auto number = value.at("number").get<std::size_t>();
      take(number, trial_from(value));
      next = number + 1;
    }
    next = next_trial(trials, next, decided);
    failure_ = result.failure;
    if (left == 0 || next == trials.size() || !failure_.empty()) break;
    RaceTrial died;
    died.verdict = Verdict::not_shown;
    if (is_shown && result.death) died = trial_of_death(*result.death);
    take(next++, std::move(died));
  }
}

// --- telling ----------------------------------------------------------------------------------

FindingPlace MessageRaceDetector::place_of(PlaceNumber number, TaskId task,
                                           std::string role) const {
  FindingPlace place;
  if (number != 0) place = names_->place(history_.places().place(number));
  place.task = names_->task(task);
  place.role = std::move(role);
  return place;
}

FindingPlace MessageRaceDetector::send_place(const SentMessage& sent, const char* role) const {
  return place_of(sent.place, sent.send.task,
                  fmt::format("{} (tag {}, {} {})", role, sent.tag, sent.size_bytes,
                              sent.size_bytes == 1 ? "byte" : "bytes"));
}

Finding MessageRaceDetector::describe(const RaceGroup& group, const RaceTrial& trial) const {
  const auto number = static_cast<std::size_t>(&trial - group.trials.data());
  const MessageRace& race = group.chosen[number];
  const Receiver& receiver = history_.receivers()[race.receiver];
  const SentMessage& taken = message(race.taken);
  const SentMessage& other = message(race.other);
  Finding finding;
  finding.kind = FindingKind::message_race;
  finding.message =
      fmt::format("a {} has got a message of rank {}, and could have got one of rank {} instead",
                  receiver.is_probe ? "probe" : "receive", taken.source, other.source);
  const std::string how_often =
      group.count == 1 ? "" : fmt::format(" ({} such races in this run)", group.count);
  finding.where.push_back(place_of(receiver.place, receiver.id.task,
                                   fmt::format("asks for {}", wanted_text(receiver))));
  finding.where.push_back(send_place(taken, "sent what it got"));
  finding.where.push_back(send_place(other, "sent the other one"));
  if (trial.makes_difference()) {
    finding.class_name = trial.verdict == Verdict::harmful ? "harmful" : "other values";
    finding.message += fmt::format("; the run in which it does {}{}", trial.difference, how_often);
    if (!trial.where.file.empty() || !trial.where.function.empty()) {
      finding.where.push_back(trial.where);
      finding.where.back().role = "differs here";
    }
  } else {
    const std::size_t tried = group.trials.size();
    finding.class_name = trial.verdict == Verdict::benign ? "benign" : "undecided";
    finding.message +=
        trial.verdict == Verdict::benign
            ? fmt::format("; that makes no difference{}{}", how_often,
                          group.count == 1 ? "" : fmt::format(", {} tried", tried))
            : fmt::format("; the run in which it does was stopped at a limit{}", how_often);
  }
  return finding;
}

std::vector<Finding> MessageRaceDetector::findings() const {
  std::vector<Finding> found;
  for (const RaceGroup& group : groups_) {
    const RaceTrial* const trial = group.telling();
    if (trial != nullptr && trial->makes_difference()) {
      found.push_back(describe(group, *trial));
    }
  }
  return found;
}

std::vector<Finding> MessageRaceDetector::remarks() const {
  std::vector<Finding> remarks;
  if (has_ended_ && history_.messages().empty()) {
    remarks.push_back(nothing_to_look_at(FindingKind::message_race, "no message was sent"));
  }
  std::size_t not_run = 0;
  for (const RaceGroup& group : groups_) {
    const RaceTrial* const trial = group.telling();
    if (group.trials.empty()) ++not_run;
    if (trial != nullptr && !trial->makes_difference()) {
      remarks.push_back(describe(group, *trial));
    }
  }
  if (not_run > 0) {
    remarks.push_back(
        {FindingKind::message_race,
         fmt::format("{} further {} not run the other way: {}", not_run,
                     not_run == 1 ? "race was" : "races were",
                     failure_.empty()
                         ? fmt::format("--detect message_race:reruns=N allows more than {} runs",
                                       options_.reruns_max)
                         : failure_),
         {},
         "not run"});
  }
  return remarks;
}

std::optional<Schedule> MessageRaceDetector::other_run() const {
  for (const RaceGroup& group : groups_) {
    const RaceTrial* const trial = group.telling();
    if (trial == nullptr || !trial->makes_difference()) continue;
    if (trial->schedule.empty()) return std::nullopt;
    return decode_schedule(std::as_bytes(std::span(trial->schedule)));
  }
  return std::nullopt;
}

}  // namespace orrery::detail

namespace orrery {

std::unique_ptr<Detector> make_message_race_detector(const NameWithOptions& options) {
  options.allow_no_count();
  options.allow_keys({"reruns", "compare"});
  detail::RaceOptions how;
  how.reruns_max = options.whole_number("reruns", how.reruns_max);
  const std::string compared = options.text("compare").value_or("messages");
  if (compared != "messages" && compared != "output") {
    throw UsageError("cannot compare '" + compared + "'", "--detect",
                     "write compare=messages or compare=output");
  }
  how.compares_messages = compared == "messages";
  return std::make_unique<detail::MessageRaceDetector>(how);
}

}  // namespace orrery
