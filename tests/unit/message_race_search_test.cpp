// Message races beside an exhaustive search: the detector names what can happen, and all of it.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "message_races.hpp"
#include "message_scripts.hpp"

namespace orrery {
namespace {

using test::line_of;
using test::program_of;
using test::Races;
using test::races_in;
using test::random_script;
using test::Script;
using test::Step;
using test::steps_max;
using test::text_of;

/// Who got what in one run: by the line of the receive, the line of the send.
using Matching = std::map<int, int>;

class MatchingWatcher final : public Observer {
 public:
  void begin_run(const RunInfo&) override {
    lines_.clear();
    now_.clear();
  }
  [[nodiscard]] EventMask interest() const override { return EventMask::matching(); }
  void on_matching(const MatchingStep& step) override {
    using Kind = MatchingStep::Kind;
    const int line = step.where == nullptr ? 0 : static_cast<int>(step.where->line);
    if (step.kind == Kind::sent) lines_[step.send] = line;
    if (step.kind == Kind::taken) now_[line] = lines_[step.send];
  }
  void end_run(const Outcome&) override { all_.insert(now_); }
  [[nodiscard]] const Matching& last() const { return now_; }
  [[nodiscard]] const std::set<Matching>& all() const { return all_; }

 private:
  std::map<OperationId, int> lines_;
  Matching now_;
  std::set<Matching> all_;
};

/// What all runs come to; nothing if there are too many.
std::optional<std::set<Matching>> all_matchings(const Program& program) {
  MatchingWatcher watcher;
  ExploreOptions options;
  options.strategy = "exhaustive";
  options.runs = 6'000;
  options.keep_going = true;
  options.shrink = options.save_logs = options.isolate = false;
  options.observers = [&] { return std::vector<Observer*>{&watcher}; };
  const Report report = explore(options, program);
  if (!report.complete) return std::nullopt;
  return watcher.all();
}

const Step& step_at(const Script& script, int line) {
  const auto index = static_cast<std::size_t>(line - 1);
  return script[index / steps_max][index % steps_max];
}

bool matches(const Script& script, int receive, int send) {
  const Step& wanted = step_at(script, receive);
  const Step& sent = step_at(script, send);
  const int receiver = (receive - 1) / static_cast<int>(steps_max);
  const int sender = (send - 1) / static_cast<int>(steps_max);
  return sent.peer == receiver && (wanted.peer == any_source || wanted.peer == sender) &&
         (wanted.tag == any_tag || wanted.tag == sent.tag);
}

/// The receives that are complete before the step at `line` begins, by program order and messages.
void add_past(const Script& script, const Matching& run, int line, std::set<int>& past) {
  const std::size_t rank = static_cast<std::size_t>(line - 1) / steps_max;
  for (std::size_t i = 0; i < static_cast<std::size_t>(line - 1) % steps_max; ++i) {
    const Step& step = script[rank][i];
    if (step.kind != Step::Kind::receive && step.kind != Step::Kind::wait) continue;
    const int receive = line_of(rank, step.kind == Step::Kind::wait ? step.started : i);
    if (!past.insert(receive).second || !run.contains(receive)) continue;
    add_past(script, run, run.at(receive), past);
  }
}

/// What must be as in `run` where `receive` is to take `send` instead of its own.
std::set<int> prefix_of(const Script& script, const Matching& run, int receive, int send) {
  std::set<int> prefix;
  add_past(script, run, receive, prefix);
  add_past(script, run, send, prefix);
  const std::size_t rank = static_cast<std::size_t>(receive - 1) / steps_max;
  for (int earlier = line_of(rank, 0); earlier < receive; ++earlier) {
    if (step_at(script, earlier).kind != Step::Kind::start_receive) continue;
    if (!matches(script, earlier, send)) continue;
    prefix.insert(earlier);
    if (run.contains(earlier)) add_past(script, run, run.at(earlier), prefix);
  }
  return prefix;
}

using Race = std::pair<int, int>;  // the receive, and the send that it could have had

std::set<Race> expected_races(const Script& script, const Matching& run,
                              const std::set<Matching>& all) {
  std::set<Race> races;
  for (const auto& [receive, own] : run) {
    const Step& wanted = step_at(script, receive);
    if (wanted.peer != any_source && wanted.tag != any_tag) continue;
    for (const Matching& other : all) {
      const auto taken = other.find(receive);
      if (taken == other.end() || taken->second == own) continue;
      const std::set<int> prefix = prefix_of(script, run, receive, taken->second);
      if (prefix.contains(receive)) continue;
      const bool is_same = std::ranges::all_of(prefix, [&](int earlier) {
        const auto here = run.find(earlier);
        const auto there = other.find(earlier);
        if (here == run.end() || there == other.end()) return false;
        return here->second == there->second;
      });
      if (is_same) races.insert({receive, taken->second});
    }
  }
  return races;
}

std::set<Race> told_races(const Races& races) {
  std::set<Race> told;
  for (const auto* list : {&races.findings, &races.remarks}) {
    for (const Finding& one : *list) {
      if (one.kind != FindingKind::message_race || one.where.size() < 3) continue;
      told.insert({static_cast<int>(one.where[0].line), static_cast<int>(one.where[2].line)});
    }
  }
  return told;
}

std::string text_of(const std::set<Race>& races) {
  std::string text;
  for (const auto& [receive, send] : races) {
    text += std::to_string(receive) + "<-" + std::to_string(send) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("random programs: what races is what an exhaustive search shows, no more and no less") {
  std::mt19937 chance(20);
  int compared = 0;
  int with_races = 0;
  for (int i = 0; i < 200; ++i) {
    const Script script = random_script(chance);
    const Program program = program_of(script);
    const auto all = all_matchings(program);
    if (!all) continue;
    MatchingWatcher watcher;
    const Races races = races_in(program, 1000, static_cast<std::uint64_t>(i), &watcher);
    const std::set<Race> expected = expected_races(script, watcher.last(), *all);
    const std::set<Race> told = told_races(races);
    ++compared;
    if (!expected.empty()) ++with_races;
    INFO("program " << i << "\n" << text_of(script) << "told " << text_of(told));
    INFO("expected " << text_of(expected));
    CHECK(told == expected);
  }
  INFO(compared << " programs compared, " << with_races << " with races");
  CHECK(compared >= 50);
  CHECK(with_races >= 10);
}

}  // namespace orrery
