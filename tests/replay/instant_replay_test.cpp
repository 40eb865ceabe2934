// The method `instant-replay`: small programs for each kind of object, recorded on one machine and
// replayed on others.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "replay/object_programs.hpp"
#include "replay/same_run.hpp"

using namespace orrery;
using namespace std::chrono_literals;

namespace {

struct Machine {
  std::uint64_t seed = 0;
  VirtualDuration window;
  std::string network;
};

const std::array<Machine, 3> replayed_on{{{71, any_order, "constant:latency=50us"},
                                          {72, VirtualDuration::zero(), "myrinet-pci64b"},
                                          {73, 3us, "constant:latency=2us,bandwidth=10MB/s"}}};

struct Run {
  Outcome outcome;
  test::NamedRun seen;
};

Run run(const Program& program, const Machine& machine, Chooser& chooser, Observer* other,
        bool spurious_wakeups = false) {
  SimulationOptions options;
  options.seed = machine.seed;
  options.window = machine.window;
  options.network = network_factory(machine.network, 4);
  options.spurious_wakeups = spurious_wakeups;
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

SavedRun saved(const Recorder& recorder, const std::vector<Finding>& findings) {
  Log log;
  log.path = "test";
  log.blocks.push_back({BlockKind::run, BlockNeed::required, 0, encode_settings({})});
  const std::string name = "instant-replay";
  const auto text = std::as_bytes(std::span(name));
  log.blocks.push_back({BlockKind::method, BlockNeed::required, 0, {text.begin(), text.end()}});
  log.blocks.push_back({BlockKind::findings, BlockNeed::required, 0, encode_findings(findings)});
  for (const RecordedBlock& block : recorder.blocks()) {
    log.blocks.push_back({block.kind, BlockNeed::required, 0, block.content});
  }
  return load_run(log);
}

const RecorderKind& method() {
  return recorder_kind("instant-replay");
}

struct Recording {
  Run run;
  SavedRun log;
};

Recording record(const Program& program, std::uint64_t seed, bool spurious_wakeups = false) {
  const Machine home{seed, seed % 3 == 0 ? VirtualDuration(2us) : any_order, "constant"};
  const auto random = make_strategy(seed % 2 == 0 ? "random" : "pct")->chooser({});
  const auto recorder = method().make_recorder();
  Recording recording{run(program, home, *random, &recorder->observer(), spurious_wakeups), {}};
  recording.log = saved(*recorder, recording.run.outcome.findings);
  REQUIRE(recorder->blind_spot() == "");
  return recording;
}

struct Again {
  Run run;
  Outcome outcome;
  std::optional<Parting> parted;
};

Again replay(const Program& program, const SavedRun& log, const Machine& machine,
             bool spurious_wakeups = false) {
  const auto others = make_strategy("random")->chooser({});
  const auto replayer = method().make_replayer(log, *others, ReplayMode::strict);
  Again again;
  again.run = run(program, machine, replayer->chooser(), replayer->observer(), spurious_wakeups);
  again.outcome = replayer->judge(again.run.outcome);
  again.parted = replayer->parted();
  return again;
}

/// How the replay parts from the recorded run; empty: it is the same.
std::string difference(const Program& program, const Recording& recording, const Machine& machine,
                       bool spurious_wakeups = false) {
  const Again again = replay(program, recording.log, machine, spurious_wakeups);
  if (again.parted) return again.parted->message;
  const auto& expected = recording.run.outcome.findings;
  const auto& found = again.outcome.findings;
  if (expected.size() != found.size()) {
    return found.empty() ? "no finding" : found.front().message;
  }
  return test::difference(recording.run.seen, again.run.seen);
}

}  // namespace

TEST_CASE("programs for each kind of object replay on other machines as they were recorded") {
  for (const auto& [name, program] : test::object_programs()) {
    for (const bool spurious_wakeups : {false, true}) {
      if (spurious_wakeups && name != "condition") continue;
      for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Recording recording = record(program, seed, spurious_wakeups);
        CAPTURE(name, seed, spurious_wakeups);
        REQUIRE(recording.run.outcome.status == Outcome::Status::clean);
        for (const Machine& machine : replayed_on) {
          CAPTURE(machine.seed);
          CHECK(difference(program, recording, machine, spurious_wakeups) == "");
        }
      }
    }
  }
}

TEST_CASE("the programs go in several ways, so that there is something to replay") {
  for (const auto& [name, program] : test::object_programs()) {
    const Recording first = record(program, 1);
    bool is_other = false;
    for (std::uint64_t seed = 2; seed <= 40 && !is_other; ++seed) {
      is_other = !test::difference(first.run.seen, record(program, seed).run.seen).empty();
    }
    CAPTURE(name);
    CHECK(is_other);
  }
}

TEST_CASE("a tape has what an access needs, and polls but the last are left out") {
  const auto program = [](World& world) {
    Atomic<bool> is_done(world, false, "is done");
    Thread other = world.thread("other", [&] {
      for (int i = 0; i < 9; ++i) world.yield();
      is_done.store(true);
    });
    while (!is_done.load()) world.yield();
  };
  UndisturbedChooser undisturbed;
  const auto recorder = method().make_recorder();
  run(program, {1, VirtualDuration::zero(), "constant"}, undisturbed, &recorder->observer());
  const std::vector<HistoryTape> tapes = saved(*recorder, {}).tapes;
  REQUIRE(tapes.size() == 2);
  CHECK_FALSE(tapes[0].starter);
  CHECK((tapes[1].starter == TaskId{0}));
  CHECK(tapes[0].has_ended);
  // The polls that failed are one entry, the load that did not another; then the join.
  REQUIRE(tapes[0].entries.size() == 3);
  CHECK(tapes[0].entries[0].repeats > 0);
  CHECK(tapes[0].entries[0].version == 0);
  CHECK((tapes[0].entries[1] == TapeEntry{OperationKind::read, false, 0, 1}));
  REQUIRE(tapes[1].entries.size() == 1);
  CHECK(tapes[1].entries[0].writes);
  CHECK(tapes[1].entries[0].readers == tapes[0].entries[0].repeats + 1);
}

TEST_CASE("versions and readers of tapes go on beyond what 32 bits hold") {
  constexpr std::uint64_t last_of_32_bits = 0xffff'ffff;
  HistoryTape tape;
  for (std::uint64_t version = last_of_32_bits - 2; version < last_of_32_bits + 3; ++version) {
    tape.entries.push_back({OperationKind::mutex_lock, true, 0, version, version + 7});
    tape.entries.push_back({OperationKind::read, false, 0, version + 1});
  }
  tape.steps = static_cast<std::uint32_t>(tape.entries.size());
  CHECK((decode_tapes(encode_tapes({tape})) == std::vector{tape}));
}

TEST_CASE("a recorder that loses every fiftieth entry does not pass for a good one") {
  std::uint64_t kept = 0;
  std::size_t tried = 0;
  for (const auto& [name, program] : test::object_programs()) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Recording recording = record(program, seed);
      std::size_t lost = 0;
      for (HistoryTape& tape : recording.log.tapes) {
        lost += std::erase_if(tape.entries, [&](const TapeEntry&) { return ++kept % 50 == 0; });
      }
      if (lost == 0) continue;
      ++tried;
      CAPTURE(name, seed);
      CHECK(std::ranges::any_of(replayed_on, [&](const Machine& machine) {
        return !difference(program, recording, machine).empty();
      }));
    }
  }
  CHECK(tried > 20);
}

TEST_CASE("a recorder that does not count readers does not pass for a good one") {
  std::size_t caught = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Recording recording = record(test::use_shared, seed);
    for (HistoryTape& tape : recording.log.tapes) {
      for (TapeEntry& entry : tape.entries) entry.readers = 0;
    }
    for (const Machine& machine : replayed_on) {
      caught += difference(test::use_shared, recording, machine).empty() ? 0 : 1;
    }
  }
  CHECK(caught > 0);
}

TEST_CASE("a replay may write more than the recorded run") {
  for (const bool draws : {false, true}) {
    bool is_added = false;
    const auto program = [&](World& world) {
      Mutex mutex(world, "mutex");
      Shared<int> sum(world, 1, "sum");
      test::in_threads(world, 3, [&](int me) {
        for (int round = 0; round < 4; ++round) {
          if (is_added) world.write("round\n");
          const int drawn = draws ? static_cast<int>(world.random().below(5)) : me;
          Lock lock(mutex);
          sum.store(sum.load() * 3 + drawn);
          if (is_added && me == 1) world.write(std::to_string(sum.unobserved()) + "\n");
        }
      });
      world.write("sum " + std::to_string(sum.unobserved()) + "\n");
    };
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      is_added = false;
      const Recording recording = record(program, seed);
      is_added = true;
      for (const Machine& machine : replayed_on) {
        CAPTURE(draws, seed, machine.seed);
        const Again again = replay(program, recording.log, machine);
        CHECK_FALSE(again.parted);
        CHECK(again.outcome.output.find(recording.run.outcome.output) != std::string::npos);
      }
    }
  }
}

TEST_CASE("a run that failed or stopped is replayed up to there") {
  const std::vector<test::ObjectProgram> programs{
      {"lost update",
       [](World& world) {
         Shared<int> balance(world, 0, "balance");
         test::in_threads(world, 3, [&](int) {
           for (int i = 0; i < 2; ++i) {
             const int seen = balance.load();
             balance.store(seen + 1);
             world.check(balance.load() > seen, "the balance grows");
           }
         });
         world.check(balance.load() == 6, "no update is lost");
       }},
      {"deadlock",
       [](World& world) {
         Mutex left(world, "left");
         Mutex right(world, "right");
         test::in_threads(world, 2, [&](int me) {
           for (int i = 0; i < 3; ++i) {
             Lock first(me == 0 ? left : right);
             Lock second(me == 0 ? right : left);
           }
         });
       }},
      {"misuse", [](World& world) {
         Mutex mutex(world, "mutex");
         Shared<int> x(world, 0, "x");
         test::in_threads(world, 2, [&](int me) {
           if (me == 0) x.store(1);
           if (me == 1 && x.load() == 1) mutex.unlock();
           x.store(2);
         });
       }}};
  for (const auto& [name, program] : programs) {
    std::size_t failed = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const Recording recording = record(program, seed);
      if (recording.run.outcome.findings.empty()) continue;
      ++failed;
      for (const Machine& machine : replayed_on) {
        CAPTURE(name, seed, machine.seed);
        const Again again = replay(program, recording.log, machine);
        CHECK_FALSE(again.parted);
        REQUIRE(again.outcome.findings.size() == 1);
        CHECK(again.outcome.findings.front().kind == recording.run.outcome.findings.front().kind);
        CHECK(again.outcome.findings.front().message ==
              recording.run.outcome.findings.front().message);
      }
    }
    CAPTURE(name);
    CHECK(failed > 3);
  }
}

TEST_CASE("a program that no longer fits its tapes parts from them, and it is said where") {
  int rounds = 3;
  bool takes_other = false;
  const auto program = [&](World& world) {
    Mutex mutex(world, "the mutex");
    Mutex other(world, "the other");
    Shared<int> sum(world, 0, "sum");
    test::in_threads(world, 2, [&](int) {
      for (int round = 0; round < rounds; ++round) {
        Lock lock(takes_other && round == 2 ? other : mutex);
        sum.store(sum.load() + 1);
      }
    });
  };
  const Recording recording = record(program, 4);
  const auto message = [&] {
    const Again again = replay(program, recording.log, replayed_on[0]);
    REQUIRE(again.parted);
    REQUIRE(again.outcome.findings.size() == 1);
    CHECK(again.outcome.findings.front().kind == FindingKind::divergence);
    CHECK(again.outcome.findings.front().message == again.parted->message);
    return again.parted->message;
  };
  rounds = 4;
  CHECK(message().find("the program parts from its log in worker") == 0);
  rounds = 2;
  CHECK(message().find("expected mutex_lock, which writes its object number 1") !=
        std::string::npos);
  rounds = 3;
  takes_other = true;
  CHECK(message().find("came mutex_lock on mutex the other") != std::string::npos);
}

TEST_CASE("a tape of what goes on regularly takes few bytes") {
  const auto program = [](World& world) {
    Mutex mutex(world, "mutex");
    Shared<int> sum(world, 0, "sum");
    test::in_threads(world, 4, [&](int) {
      for (int round = 0; round < 500; ++round) {
        Lock lock(mutex);
        sum.store(sum.load() + 1);
      }
    });
  };
  UndisturbedChooser undisturbed;
  const auto recorder = method().make_recorder();
  run(program, {1, VirtualDuration::zero(), "constant"}, undisturbed, &recorder->observer());
  std::size_t bytes = 0;
  for (const RecordedBlock& block : recorder->blocks()) bytes += block.content.size();
  CAPTURE(bytes);
  CHECK(bytes < 500);  // of 8,000 accesses
}
