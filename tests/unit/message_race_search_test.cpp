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

namespace orrery {
namespace {

using test::Races;
using test::races_in;

/// One operation of a rank; its line tells it from all others.
struct Step {
  enum class Kind : std::uint8_t { send, receive, start_receive, wait };
  Kind kind = Kind::send;
  std::int32_t peer = any_source;
  std::int32_t tag = any_tag;
  std::size_t started = 0;  ///< of `wait`: the step that started the receive
};
using Script = std::vector<std::vector<Step>>;  // by rank

constexpr std::size_t steps_max = 16;

int line_of(std::size_t rank, std::size_t step) {
  return static_cast<int>(rank * steps_max + step + 1);
}

SourceLocation place(std::size_t rank, std::size_t step) {
  SourceLocation where;
  where.file = "script";
  where.function = "";
  where.line = static_cast<std::uint32_t>(line_of(rank, step));
  return where;
}

void act(Communicator& comm, const std::vector<Step>& steps) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  std::map<std::size_t, Request> requests;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const SourceLocation where = place(rank, i);
    switch (step.kind) {
      case Step::Kind::send: comm.send(step.peer, step.tag, 0, SendMode::standard, where); break;
      case Step::Kind::receive: comm.receive<int>(step.peer, step.tag, where); break;
      case Step::Kind::start_receive:
        requests[i] = comm.start_receive(step.peer, step.tag, where);
        break;
      case Step::Kind::wait:
        requests[step.started].wait(where);
        static_cast<void>(requests[step.started].take_payload());
        break;
    }
  }
}

Program program_of(const Script& script) {
  return [script](World& world) {
    world.ranks(static_cast<std::int32_t>(script.size()), [&](Communicator& comm) {
      act(comm, script[static_cast<std::size_t>(comm.rank())]);
    });
  };
}

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

std::string text_of(const Script& script) {
  std::string text;
  for (const auto& steps : script) {
    for (const Step& step : steps) {
      constexpr const char* names[] = {"send", "receive", "start", "wait"};
      text += std::string(names[static_cast<int>(step.kind)]) + "(" + std::to_string(step.peer) +
              "," + std::to_string(step.tag) + "," + std::to_string(step.started) + ") ";
    }
    text += "\n";
  }
  return text;
}

std::string text_of(const std::set<Race>& races) {
  std::string text;
  for (const auto& [receive, send] : races) {
    text += std::to_string(receive) + "<-" + std::to_string(send) + " ";
  }
  return text;
}

/// Two or three senders and rank 0, which mostly receives; some have to be told before they send.
Script random_script(std::mt19937& chance) {
  const auto below = [&](unsigned bound) { return static_cast<int>(chance() % bound); };
  Script script(static_cast<std::size_t>(3 + below(2)));
  int messages = 0;
  for (std::size_t rank = 1; rank < script.size(); ++rank) {
    const bool is_told = below(3) == 0;
    if (is_told) script[rank].push_back({Step::Kind::receive, 0, 3});
    const int count = 1 + below(script.size() == 3 ? 2 : 1);
    for (int i = 0; i < count; ++i, ++messages) {
      script[rank].push_back({Step::Kind::send, 0, below(2)});
    }
  }
  std::vector<Step>& first = script[0];
  std::vector<std::int32_t> to_tell;
  for (std::size_t rank = 1; rank < script.size(); ++rank) {
    if (script[rank][0].kind == Step::Kind::receive) {
      to_tell.push_back(static_cast<std::int32_t>(rank));
    }
  }
  std::vector<std::size_t> started;
  const auto tell_one = [&] {
    if (to_tell.empty()) return;
    first.push_back({Step::Kind::send, to_tell.back(), 3});
    to_tell.pop_back();
  };
  for (int i = 0; i < messages; ++i) {
    if (below(2) == 0) tell_one();
    const std::int32_t source =
        below(3) == 0 ? 1 + below(static_cast<unsigned>(script.size() - 1)) : any_source;
    const std::int32_t tag = below(3) == 0 ? below(2) : any_tag;
    const bool is_started = below(2) == 0;
    if (is_started) started.push_back(first.size());
    first.push_back({is_started ? Step::Kind::start_receive : Step::Kind::receive, source, tag});
    if (!started.empty() && below(2) == 0) {
      first.push_back({Step::Kind::wait, any_source, any_tag, started.front()});
      started.erase(started.begin());
    }
  }
  while (!to_tell.empty()) tell_one();
  for (const std::size_t one : started) {
    first.push_back({Step::Kind::wait, any_source, any_tag, one});
  }
  return script;
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
