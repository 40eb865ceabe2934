#include "bent_replay.hpp"

#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/explorers/finding_json.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/run_story.hpp>

#include "bent_report.hpp"
#include "files.hpp"
#include "output_files.hpp"
#include "run_again.hpp"
#include "run_report.hpp"

namespace orrery::cli {

void BendFlags::declare(Flags& flags) {
  flags.whole_number("--swap", race_,
                     "the run in which this pair of messages came the other way "
                     "round: see orrery show LOG --races",
                     1);
  flags.text("--order", path_, "FILE", "the run in which messages and operations come as it says");
}

bool BendFlags::are_given() const {
  if (race_ && path_) {
    throw UsageError("cannot be used together with --swap", "--order", "leave one of them out");
  }
  return race_ || path_;
}

std::string BendFlags::name() const {
  return race_ ? "--swap" : "--order";
}

std::vector<Bend> BendFlags::bends() const {
  return path_ ? parse_bends(read_whole_file(*path_, "--order"), *path_) : std::vector<Bend>();
}

namespace {

/// A story on its way from a run's process to this one: the events in a file without a name, since
/// there may be many, the rest as JSON.
class StoryFile {
 public:
  StoryFile() : file_(std::tmpfile()) {
    if (file_ == nullptr) {
      throw UsageError("no file can be made for what the runs do", "/tmp", "make room there");
    }
  }
  /// In the run's process.
  [[nodiscard]] Json write(const RunStory& story) const {
    const std::size_t written =
        std::fwrite(story.events.data(), sizeof(StoryEvent), story.events.size(), file_.get());
    if (written != story.events.size() || std::fflush(file_.get()) != 0) {
      throw UsageError("what the run does cannot be written", "/tmp", "make room there");
    }
    Json places = Json::array();
    for (const FindingPlace& place : story.places) places.push_back(to_json(place));
    return {{"tasks", story.tasks}, {"calls", story.calls}, {"places", std::move(places)}};
  }
  /// In this one.
  [[nodiscard]] RunStory read(const Json& rest) const {
    RunStory story;
    story.tasks = rest.at("tasks").get<std::vector<std::string>>();
    story.calls = rest.at("calls").get<std::vector<std::string>>();
    for (const Json& place : rest.at("places")) {
      FindingPlace& added = story.places.emplace_back();
      added.file = place.at("file").get<std::string>();
      added.line = place.at("line").get<std::uint32_t>();
      added.function = place.at("function").get<std::string>();
    }
    std::fseek(file_.get(), 0, SEEK_END);
    story.events.resize(static_cast<std::size_t>(std::ftell(file_.get())) / sizeof(StoryEvent));
    std::rewind(file_.get());
    const std::size_t count =
        std::fread(story.events.data(), sizeof(StoryEvent), story.events.size(), file_.get());
    story.events.resize(count);
    return story;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

Json to_json(const BendPlan& plan) {
  Json order = Json::array();
  for (const BendPlan::Range& range : plan.order) order.push_back({range.begin, range.end});
  Json added = Json::array();
  for (const OperationId send : plan.added) added.push_back({send.task.value, send.number});
  Json answers = Json::array();
  for (const RunAnswer& answer : plan.run_answers) {
    answers.push_back({answer.question, answer.value});
  }
  Json starters = Json::array();
  for (const TaskId starter : plan.starters) starters.push_back(starter.value);
  Json bends = Json::array();
  for (const Bend& bend : plan.bends) {
    bends.push_back({static_cast<unsigned>(bend.kind), bend.first.task.value, bend.first.number,
                     bend.second.task.value, bend.second.number, bend.where});
  }
  Json selections = Json::array();
  for (const auto& [call, among, reported] : plan.selections) {
    selections.push_back({call.task.value, call.number, among, reported});
  }
  return {{"order", std::move(order)},       {"added", std::move(added)},
          {"answers", std::move(answers)},   {"starters", std::move(starters)},
          {"bends", std::move(bends)},       {"recorded", plan.steps_recorded},
          {"followed", plan.steps_followed}, {"selections", std::move(selections)}};
}

OperationId operation_from(const Json& task, const Json& number) {
  return {TaskId{task.get<std::uint32_t>()}, number.get<std::uint32_t>()};
}

BendPlan plan_from(const Json& value) {
  BendPlan plan;
  for (const Json& range : value.at("order")) {
    plan.order.push_back({range[0].get<std::uint64_t>(), range[1].get<std::uint64_t>()});
  }
  for (const Json& send : value.at("added")) plan.added.push_back(operation_from(send[0], send[1]));
  for (const Json& answer : value.at("answers")) {
    plan.run_answers.push_back({answer[0].get<std::uint64_t>(), answer[1].get<std::uint64_t>()});
  }
  for (const Json& starter : value.at("starters")) {
    plan.starters.push_back(TaskId{starter.get<std::uint32_t>()});
  }
  for (const Json& bend : value.at("bends")) {
    plan.bends.push_back({static_cast<Bend::Kind>(bend[0].get<unsigned>()),
                          operation_from(bend[1], bend[2]), operation_from(bend[3], bend[4]),
                          bend[5].get<std::string>()});
  }
  for (const Json& one : value.at("selections")) {
    plan.selections.push_back({operation_from(one[0], one[1]), one[2].get<std::uint32_t>(),
                               one[3].get<std::vector<std::uint32_t>>()});
  }
  plan.steps_recorded = value.at("recorded").get<std::uint64_t>();
  plan.steps_followed = value.at("followed").get<std::uint64_t>();
  return plan;
}

/// Looks at a run for the plan and for the story.
class PlanAndStory final : public Observer {
 public:
  void leave() {
    planner.leave();
    story.leave();
  }
  void begin_run(const RunInfo& info) override {
    planner.begin_run(info);
    story.begin_run(info);
  }
  [[nodiscard]] EventMask interest() const override {
    return planner.interest() | story.interest();
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    planner.on_task(task, predecessors);
  }
  void on_step(const Alternative& taken) override { planner.on_step(taken); }
  void on_matching(const MatchingStep& step) override { planner.on_matching(step); }
  void on_outcome(OperationId operation, OperationKind kind, const OpenOutcome& outcome) override {
    planner.on_outcome(operation, kind, outcome);
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    planner.on_value(question, answer);
  }
  void on_event(const Event& event) override {
    planner.on_event(event);
    story.on_event(event);
  }
  void end_run(const Outcome& outcome) override {
    planner.end_run(outcome);
    story.end_run(outcome);
  }

  BendPlanner planner;
  RunStoryObserver story;
};

/// The recorded run, how it is to be bent, and what that is about.
struct Original {
  IsolatedResult result;
  BendPlan plan;
  Json bends;
  RunStory story;
};

Original make_original(const FoundProgram& program, SavedRun& log, const std::string& path,
                       const BendFlags& flags) {
  const std::vector<Bend> wanted = flags.bends();
  const StoryFile file;
  PlanAndStory watching;
  Original original;
  original.result =
      run_again(program, log, path,
                {watching, [&](Simulation&, const std::vector<Finding>* death, Json& more) {
                   if (death != nullptr) watching.leave();
                   const BendPlanner& planner = watching.planner;
                   const BendPlan plan = planner.plan(
                       flags.race() ? std::vector{planner.swap(*flags.race(), "--swap")} : wanted);
                   more["plan"] = to_json(plan);
                   more["bends"] = bends_json(plan.bends, planner);
                   more["story"] = file.write(watching.story.story());
                 }});
  const Json& more = original.result.more;
  if (more.contains("parted") || !more.contains("plan")) {
    throw UsageError(more.value("parted", std::string("it does not come as far as it did")), path,
                     "orrery replay --best-effort shows how far it fits");
  }
  original.plan = plan_from(more.at("plan"));
  original.bends = more.at("bends");
  original.story = file.read(more.at("story"));
  return original;
}

/// Makes the bent run, up to its end, or before its last step if `steps` says how many it takes.
IsolatedResult run_bent(const FoundProgram& program, const Original& original,
                        const StoryFile& file, ProgramOutput* output, RunRecording* recording,
                        std::uint64_t steps) {
  BentChooser chooser(original.result.schedule, original.plan);
  RunStoryObserver story;
  IsolatedRun request{.program = program.program,
                      .machine = program.machine,
                      .chooser = chooser,
                      .observers = {&chooser, &story},
                      .on_output = {},
                      .drive = {},
                      .conclude = {}};
  const auto tell = [&](Json& more) {
    if (const auto unmet = chooser.unmet()) {
      more["unmet"] = {{"bend", unmet->bend}, {"why", unmet->why}};
    }
    more["steps_kept"] = chooser.steps_kept();
    more["steps_left_out"] = chooser.steps_left_out();
    more["story"] = file.write(story.story());
  };
  if (steps != 0) {
    request.drive = [&](Simulation& simulation, Json& more) {
      simulation.clock().run_until([&] { return simulation.clock().steps() + 1 >= steps; });
      story.leave();
      tell(more);
      return false;
    };
    return run_isolated(request);
  }
  request.on_output = output->sink();
  request.conclude = [&](Simulation&, const Schedule&, Outcome&, Json& more) { tell(more); };
  recording->record(request);
  return run_isolated(request);
}

void check_is_met(const Original& original, const IsolatedResult& result) {
  if (!result.more.contains("unmet")) return;
  const Json& unmet = result.more.at("unmet");
  const Bend& bend = original.plan.bends.at(unmet.at("bend").get<std::size_t>());
  throw UsageError(
      fmt::format("'{}' does not come about: {}", text(bend), unmet.at("why").get<std::string>()),
      bend.where,
      "bend the run less, with --record FILE, and then that one: in it operations may "
      "have other numbers");
}

}  // namespace

int replay_bent(const Console& console, SavedRun saved, const std::string& path,
                const FoundProgram& program, const BendFlags& flags,
                const RecordingFlags& recording) {
  const Original original = make_original(program, saved, path, flags);
  ProgramOutput output(console, {});
  RunRecording record(recording, program, describe_again(program, saved));
  StoryFile file;
  IsolatedResult result = run_bent(program, original, file, &output, &record, 0);
  output.finish();
  Json story = result.more;
  if (result.has_died) {
    story = run_bent(program, original, file, nullptr, nullptr, result.schedule.steps()).more;
    result.more.update(story);
  }
  check_is_met(original, result);
  Json bent = {{"bends", original.bends},
               {"steps_followed", original.plan.steps_followed},
               {"steps_kept", story.value("steps_kept", std::uint64_t{0})},
               {"steps_left_out", story.value("steps_left_out", std::uint64_t{0})}};
  if (story.contains("story")) {
    const RunStory now = file.read(story.at("story"));
    bent.update(to_json(
        difference(original.story, original.result.outcome.output, now, result.outcome.output)));
  }
  bent["was"] = {{"outcome", outcome_name(original.result)},
                 {"findings", Json::parse(orrery::json_text(original.result.outcome.findings))}};
  for (const char* const told : {"story", "steps_kept", "steps_left_out"}) result.more.erase(told);
  result.more["bent"] = bent;
  RunReport report{.command = "replay",
                   .program = &program,
                   .seed = program.machine.seed,
                   .run_index = program.machine.run_index,
                   .result = &result,
                   .log = recording.path() ? record.save(result) : std::string(),
                   .other_log = {},
                   .is_saved = recording.path().has_value(),
                   .hint = {}};
  if (!console.is_json) print_note(console, bent_text(bent));
  print_run(console, report);
  return exit_status(result);
}

}  // namespace orrery::cli
