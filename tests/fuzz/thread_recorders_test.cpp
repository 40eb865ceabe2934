// Random programs of threads, recorded by each method and replayed elsewhere: the same runs.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "fuzz/random_threads.hpp"

namespace orrery {
namespace {

using test::first_seed;
using test::program_count;
using test::Run;
using test::run_threads;
using test::saved;
using test::ThreadMachine;

const std::array<ThreadMachine, 2> recorded_on{
    {{3, any_order}, {8, std::chrono::microseconds(20)}}};
const std::array<ThreadMachine, 3> replayed_on{
    {{71, any_order}, {72, VirtualDuration::zero()}, {73, std::chrono::microseconds(3)}}};

/// Methods that follow threads, with their options.
std::vector<std::string> methods() {
  return {"instant-replay", "lamport-order", "lamport-order:objects=yes",
          "leap",           "global-writes", "stride",
          "stride:lag=4",   "stride:lag=40", "stride:lag=7,group=block:64,slots=3"};
}

const RecorderKind& kind_of(const std::string& method) {
  return recorder_kind(method.substr(0, method.find(':')));
}

struct Recording {
  std::uint64_t seed = 0;
  Run run = {};
  std::string blind_spot = {};
  SavedRun log = {};
};

Recording record(const std::string& method, std::uint64_t seed) {
  const auto random = make_strategy("random")->chooser({});
  const auto recorder = make_recorder(method, "test");
  Recording recording{.seed = seed};
  recording.run =
      run_threads(seed, recorded_on[seed % recorded_on.size()], *random, {&recorder->observer()});
  recording.blind_spot = recorder->blind_spot();
  recording.log = saved(kind_of(method), recorder->blocks());
  return recording;
}

/// Finds out what the log leaves open, on the machine of the replay.
std::string infer(const std::string& method, Recording& recording, const ThreadMachine& elsewhere) {
  const auto others = make_strategy("random")->chooser({});
  const auto replayer = kind_of(method).make_replayer(recording.log, *others, ReplayMode::strict);
  if (replayer->inference() == nullptr) return "";
  const Run once =
      run_threads(recording.seed, elsewhere, replayer->chooser(), {replayer->observer()});
  const Outcome outcome = replayer->judge(once.outcome);
  if (!outcome.findings.empty()) return outcome.findings.front().message;
  // Whatever memory held, each task has read what it had read.
  const std::string other = test::difference(recording.run.seen, once.seen);
  if (!other.empty()) return other;
  recording.log.accesses =
      decode_access_records(replayer->inference()->blocks().front().content, "test");
  recording.log.method = "leap";
  return "";
}

/// How its replay on another machine parts from the recorded run; empty: it is the same run.
std::string parting(const std::string& method, Recording recording,
                    const ThreadMachine& elsewhere) {
  if (const std::string other = infer(method, recording, elsewhere); !other.empty()) return other;
  const auto others = make_strategy("random")->chooser({});
  const auto replayer =
      recorder_kind(recording.log.method).make_replayer(recording.log, *others, ReplayMode::strict);
  const Run again =
      run_threads(recording.seed, elsewhere, replayer->chooser(), {replayer->observer()});
  const Outcome outcome = replayer->judge(again.outcome);
  if (!outcome.findings.empty()) return outcome.findings.front().message;
  if (outcome.status != Outcome::Status::clean) return "the run has no end";
  // Tapes leave open which of two tasks writes first.
  const bool orders_output = method != instant_replay_method;
  if (orders_output && outcome.output != recording.run.outcome.output) {
    return "it writes something else";
  }
  return test::difference(recording.run.seen, again.seen);
}

/// What a recorder would leave that loses every fiftieth of its records; `kept` counts over all
/// runs.
void lose_some(SavedRun& log, std::uint64_t& kept) {
  const auto is_lost = [&](const auto&) { return ++kept % 50 == 0; };
  for (LamportRecords::Task& task : log.stamps.tasks) std::erase_if(task.marks, is_lost);
  for (auto& order : log.accesses.orders) std::erase_if(order, is_lost);
  for (AccessRecords::Task& task : log.accesses.tasks) {
    std::erase_if(task.values, is_lost);
    std::erase_if(task.bounds, is_lost);
  }
  for (HistoryTape& tape : log.tapes) std::erase_if(tape.entries, is_lost);
}

}  // namespace

TEST_CASE("Random threads replay under every method as they were recorded, on other machines",
          "[campaign]") {
  for (const std::string& method : methods()) {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + program_count(300); ++seed) {
      CAPTURE(method, seed);
      const Recording recording = record(method, seed);
      REQUIRE(recording.run.outcome.status == Outcome::Status::clean);
      REQUIRE(recording.blind_spot == "");
      for (const ThreadMachine& elsewhere : replayed_on) {
        CAPTURE(elsewhere.seed);
        CHECK(parting(method, recording, elsewhere) == "");
      }
    }
  }
}

TEST_CASE("A recorder of threads that loses every fiftieth record does not pass for a good one") {
  for (const std::string& method : methods()) {
    CAPTURE(method);
    std::uint64_t kept = 0;
    bool is_caught = false;
    for (std::uint64_t seed = 1; seed < 60 && !is_caught; ++seed) {
      Recording recording = record(method, seed);
      lose_some(recording.log, kept);
      is_caught = std::ranges::any_of(replayed_on, [&](const ThreadMachine& elsewhere) {
        return !parting(method, recording, elsewhere).empty();
      });
    }
    CHECK(is_caught);
  }
}

}  // namespace orrery
