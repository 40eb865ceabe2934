// The methods `leap`, `global-writes` and `stride`: small programs for each kind of object, failing
// runs, and logs that cannot be.
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "replay/object_programs.hpp"
#include "replay/same_run.hpp"

using namespace orrery;
using namespace std::chrono_literals;

namespace {

struct Machine {
  std::uint64_t seed = 0;
  VirtualDuration window;
};

const std::array<Machine, 3> replayed_on{
    {{71, any_order}, {72, VirtualDuration::zero()}, {73, 3us}}};
const std::array<std::string, 6> methods{
    "leap",          "global-writes", "stride", "stride:lag=6", "stride:lag=60,group=block:32",
    "stride:slots=1"};

struct Run {
  Outcome outcome;
  test::NamedRun seen;
};

Run run(const Program& program, const Machine& machine, Chooser& chooser, Observer* other) {
  SimulationOptions options;
  options.seed = machine.seed;
  options.window = machine.window;
  options.step_limit = 20'000;
  Simulation simulation(options);
  EventStream events;
  Run result;
  std::vector<Observer*> observers{&events, &result.seen.paths};
  if (other != nullptr) observers.push_back(other);
  result.outcome = simulation.run(program, chooser, observers);
  result.seen.events.assign(events.entries().begin(), events.entries().end());
  return result;
}

const RecorderKind& kind_of(const std::string& method) {
  return recorder_kind(method.substr(0, method.find(':')));
}

struct Recording {
  Run run;
  SavedRun log;
  std::string blind_spot;
};

Recording record(const Program& program, const std::string& method, std::uint64_t seed) {
  const auto random = make_strategy(seed % 2 == 0 ? "random" : "pct")->chooser({});
  const auto recorder = make_recorder(method, "test");
  Recording recording{run(program, {seed, any_order}, *random, &recorder->observer()), {}, {}};
  recording.blind_spot = recorder->blind_spot();
  recording.log.method = kind_of(method).name;
  recording.log.findings = recording.run.outcome.findings;
  for (const RecordedBlock& block : recorder->blocks()) {
    if (block.kind == BlockKind::shared_accesses) {
      recording.log.accesses = decode_access_records(block.content, "test");
    } else {
      decode_answers(block.content, "test", recording.log.messages);
    }
  }
  return recording;
}

struct Again {
  Run run;
  Outcome outcome;
  std::optional<Parting> parted;
};

Again replay_once(const Program& program, const SavedRun& log, const Machine& machine,
                  std::optional<AccessRecords>& inferred) {
  const auto others = make_strategy("random")->chooser({});
  const auto replayer = kind_of(log.method).make_replayer(log, *others, ReplayMode::strict);
  Again again;
  again.run = run(program, machine, replayer->chooser(), replayer->observer());
  again.outcome = replayer->judge(again.run.outcome);
  again.parted = replayer->parted();
  if (replayer->inference() != nullptr && !again.parted) {
    inferred = decode_access_records(replayer->inference()->blocks().front().content, "test");
  }
  return again;
}

Again replay(const Program& program, SavedRun log, const Machine& machine) {
  std::optional<AccessRecords> inferred;
  Again again = replay_once(program, log, machine, inferred);
  if (!inferred) return again;
  log.method = leap_method;
  log.accesses = *inferred;
  return replay_once(program, log, machine, inferred);
}

/// How the replay parts from the recorded run; empty: it is the same.
std::string difference(const Program& program, const Recording& recording, const Machine& machine) {
  const Again again = replay(program, recording.log, machine);
  if (again.parted) return again.parted->message;
  const auto& expected = recording.run.outcome.findings;
  const auto& found = again.outcome.findings;
  if (expected.size() != found.size()) {
    return found.empty() ? "no finding" : found.front().message;
  }
  // Who did not fail may not have come as far.
  return expected.empty() ? test::difference(recording.run.seen, again.run.seen) : "";
}

/// Both threads write one variable and read the other.
void buffer_stores(World& world) {
  Shared<int> x(world, 0, "x");
  Shared<int> y(world, 0, "y");
  {
    Thread a = world.thread("a", [&] {
      x.store(1);
      test::tell(world, y.load());
    });
    Thread b = world.thread("b", [&] {
      y.store(1);
      test::tell(world, x.load());
    });
  }
}

void add_up(World& world, bool is_checked) {
  Shared<int> sum(world, 0, "sum");
  test::in_threads(world, 3, [&](int) {
    for (int i = 0; i < 5; ++i) {
      sum.store(sum.load() + 1);
      const bool is_good = sum.load() % 4 != 3;
      world.check(is_good || !is_checked, "three too many");
    }
  });
}
void add_and_check(World& world) {
  add_up(world, true);
}
void add_only(World& world) {
  add_up(world, false);
}

}  // namespace

TEST_CASE("programs for each kind of object replay by the order of accesses, on other machines") {
  for (const std::string& method : methods) {
    for (const auto& [name, program] : test::object_programs()) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(method, name, seed);
        const Recording recording = record(program, method, seed);
        REQUIRE(recording.run.outcome.status == Outcome::Status::clean);
        if (!recording.blind_spot.empty()) {
          CHECK(name == "mailboxes");
          continue;
        }
        for (const Machine& machine : replayed_on) {
          CAPTURE(machine.seed);
          CHECK(difference(program, recording, machine) == "");
        }
      }
    }
  }
}

TEST_CASE("a run that failed fails again where it did") {
  for (const std::string& method : methods) {
    std::uint64_t failed = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(method, seed);
      const Recording recording = record(add_and_check, method, seed);
      failed += recording.run.outcome.findings.size();
      for (const Machine& machine : replayed_on) {
        CAPTURE(machine.seed);
        CHECK(difference(add_and_check, recording, machine) == "");
      }
    }
    CHECK(failed > 3);
  }
}

TEST_CASE("both threads reading what was there before is no run: the cycle is told by its edges") {
  Recording recording = record(buffer_stores, "stride:lag=9", 2);
  for (AccessRecords::Task& task : recording.log.accesses.tasks) {
    if (task.bounds.empty()) continue;
    // As store buffers would have it: the write is there later, and the read has seen nothing.
    task.bounds = {{0, 2}};
    task.values.clear();
    task.kinds_hash = 0;
  }
  const Again again = replay(buffer_stores, recording.log, replayed_on.front());
  REQUIRE(again.parted.has_value());
  CHECK_THAT(again.parted->message, Catch::Contains("not sequentially consistent"));
  CHECK_THAT(again.parted->message, Catch::Contains("as it was before"));
  REQUIRE(again.outcome.findings.size() == 1);
  CHECK(again.outcome.findings.front().kind == FindingKind::divergence);
}

TEST_CASE("a log with fewer tasks or variables than the run parts from it, and says where") {
  const Recording recording = record(add_only, "stride", 4);
  const auto parting = [&](const SavedRun& log) {
    const Again again = replay(add_only, log, replayed_on.front());
    return again.parted ? again.parted->message : std::string();
  };
  REQUIRE(parting(recording.log) == "");
  SavedRun fewer_tasks = recording.log;
  fewer_tasks.accesses.tasks.pop_back();
  CHECK_THAT(parting(fewer_tasks), Catch::Contains("expected no more"));
  SavedRun fewer_variables = recording.log;
  fewer_variables.accesses.tasks.back().first_uses.clear();
  CHECK_THAT(parting(fewer_variables), Catch::Contains("which the log does not name"));
  SavedRun other_value = record(add_only, "stride:lag=1", 4).log;
  for (AccessRecords::Task& task : other_value.accesses.tasks) {
    for (AccessRecords::Value& value : task.values) value.value = 1234;
  }
  CHECK_THAT(parting(other_value), Catch::Contains("to read 0x4d2"));
}

TEST_CASE("what holds more than eight bytes has no value that could be kept") {
  const Program program = [](World& world) {
    Shared<std::string> text(world, "a", "text");
    test::in_threads(world, 2, [&](int me) { text.store(text.load() + std::to_string(me)); });
  };
  CHECK(record(program, "leap", 1).blind_spot == "");
  CHECK(difference(program, record(program, "leap", 1), replayed_on.front()) == "");
  CHECK_THAT(record(program, "stride", 1).blind_spot,
             Catch::Contains("text holds more than eight bytes"));
  CHECK_THAT(record(program, "global-writes", 1).blind_spot,
             Catch::Contains("text holds more than eight bytes"));
}
