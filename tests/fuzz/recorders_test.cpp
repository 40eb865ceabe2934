// Random MPI programs, recorded by each method and replayed elsewhere: the same runs.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/replay_core/first_arrived_chooser.hpp>
#include <orrery/replay_core/natural_order.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "fuzz/random_program.hpp"

namespace orrery {
namespace {

using test::first_seed;
using test::Machine;
using test::program_count;
using test::RandomProgram;
using test::Run;
using test::saved;

const std::array<Machine, 3> recorded_on{{{3, any_order, "constant"},
                                          {8, std::chrono::microseconds(20), "myrinet-pci64b"},
                                          {5, any_order, "constant", 0}}};
/// Of recorders on cards.  The last machine's cards have little room, two ranks each, and order
/// enough: nothing comes otherwise than in the order of coming.
const std::array<Machine, 3> with_cards{{{3, any_order, "myrinet-pcixd"},
                                         {8, std::chrono::microseconds(20), "myrinet-pci64b"},
                                         {5, VirtualDuration::zero(), "myrinet-pcixd:2", 0}}};

const std::array<Machine, 3> replayed_on{
    {{71, any_order, "constant:latency=50us"},
     {72, VirtualDuration::zero(), "myrinet-pci64b"},
     {73, std::chrono::microseconds(3), "constant:latency=2us,bandwidth=10MB/s"}}};

/// What a recorder would leave that loses every fiftieth of its records; `kept` counts over all
/// runs.
void lose_some(SavedRun& run, std::uint64_t& kept) {
  const auto is_lost = [&](const auto&) { return ++kept % 50 == 0; };
  for (OpenCalls& calls : run.messages.calls) std::erase_if(calls.sources, is_lost);
  // A single message that is not traced goes to the only receive that is not.
  if (run.tapes.empty()) std::erase_if(run.messages.traced, is_lost);
  for (HistoryTape& tape : run.tapes) std::erase_if(tape.entries, is_lost);
}

/// Those on cards with few and many bytes to keep, plain and compressed.
std::unique_ptr<Recorder> recorder_of(const RecorderKind& method, std::uint64_t seed) {
  if (method.options.empty()) return method.make_recorder();
  const std::string compress = seed % 2 == 0 ? "yes" : "no";
  const std::string buffer = seed % 5 < 3 ? "40" : "4096";
  return make_recorder(std::string(method.name) + ":buffer=" + buffer + ",compress=" + compress,
                       "test");
}

/// Random programs pass messages, and poll: that is not for all methods.
bool fits_random_programs(const RecorderKind& method) {
  const bool takes_messages = method.name != "lamport-order" && !follows_memory(method.name);
  return takes_messages && method.name != "nic" && method.name != "switch";
}

/// A random program, recorded on the machine that its seed stands for.
struct Recording {
  std::uint64_t seed = 0;
  Machine home;
  Run run = {};
  std::string blind_spot = {};
  SavedRun log = {};
};

Recording record(RandomProgram& program, const RecorderKind& method, std::uint64_t seed) {
  const auto random = make_strategy("random")->chooser({});
  const auto recorder = recorder_of(method, seed);
  const auto& machines = recorder->firmware() != nullptr ? with_cards : recorded_on;
  Recording recording{.seed = seed, .home = machines[seed % machines.size()]};
  recording.home.firmware = recorder->firmware();
  recording.run = program.run(seed, recording.home, *random, {&recorder->observer()});
  recording.blind_spot = recorder->blind_spot();
  recording.log = saved(method, recorder->blocks());
  return recording;
}

/// How its replay on another machine parts from the recorded run; empty: it is the same run.
std::string parting(RandomProgram& program, const RecorderKind& method, const Recording& recording,
                    Machine elsewhere) {
  // Whether a send has to wait for its receive is the program's matter: logs keep it.
  elsewhere.eager_threshold_bytes = recording.home.eager_threshold_bytes;
  const auto others = make_strategy("random")->chooser({});
  const auto replayer = method.make_replayer(recording.log, *others, ReplayMode::strict);
  const Run again =
      program.run(recording.seed, elsewhere, replayer->chooser(), {replayer->observer()});
  const Outcome outcome = replayer->judge(again.outcome);
  if (!outcome.findings.empty()) return outcome.findings.front().message;
  if (outcome.status != Outcome::Status::clean) return "the run has no end";
  return test::difference(recording.run.seen, again.seen);
}

}  // namespace

TEST_CASE("Random programs replay under every method as they were recorded, on other machines",
          "[campaign]") {
  RandomProgram program;
  for (const RecorderKind& method : recorders()) {
    if (method.name == contents_method) continue;  // whole replays are those of `wildcards`
    if (!fits_random_programs(method)) continue;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + program_count(300); ++seed) {
      CAPTURE(method.name, seed);
      const Recording recording = record(program, method, seed);
      REQUIRE(recording.run.outcome.status == Outcome::Status::clean);
      REQUIRE(recording.blind_spot == "");
      for (const Machine& elsewhere : replayed_on) {
        CAPTURE(elsewhere.seed);
        CHECK(parting(program, method, recording, elsewhere) == "");
      }
    }
  }
}

// Not all do at once: polls may have gone as they go in no run without a replayer.
TEST_CASE("Most small runs that were recorded by their messages become schedules of the same run",
          "[campaign]") {
  RandomProgram program;
  UndisturbedChooser undisturbed;
  const Machine home{1, any_order, "constant"};
  for (const RecorderKind& method : recorders()) {
    if (method.name == schedule_method || method.name == contents_method) continue;
    if (!fits_random_programs(method)) continue;
    const std::uint64_t programs = program_count(300) / 4;
    std::uint64_t same = 0;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
      const std::vector<std::string> arguments{"--small", std::to_string(seed)};
      const auto recorder = recorder_of(method, seed);
      Machine machine = home;
      const auto run = [&](Chooser& chooser, std::initializer_list<Observer*> observers) {
        return program.run(arguments, 3, machine, chooser, observers);
      };
      if (recorder->firmware() != nullptr) {
        machine.network = with_cards.front().network;
        machine.firmware = recorder->firmware();
      }
      const auto random = make_strategy("random")->chooser({});
      const Run first = run(*random, {&recorder->observer()});
      machine.firmware = nullptr;
      const SavedRun log = saved(method, recorder->blocks());
      const auto replayer = method.make_replayer(log, undisturbed, ReplayMode::strict);
      NaturalOrder order(*replayer);
      ScheduleRecorder taken;
      const Run once = run(order, {&order, replayer->observer(), &taken});
      CAPTURE(method.name, seed);
      CHECK(test::difference(first.seen, once.seen) == "");
      const Schedule schedule = taken.schedule();
      ScheduleReplayer by_schedule(schedule, undisturbed);
      const Run again = run(by_schedule, {});
      if (!by_schedule.parted() && test::difference(first.seen, again.seen).empty()) ++same;
    }
    CAPTURE(method.name, same);
    if (programs >= 50) CHECK(same * 10 >= programs * 8);
  }
}

TEST_CASE("A recorder that loses every fiftieth record does not pass for a good one") {
  RandomProgram program;
  for (const RecorderKind& method : recorders()) {
    if (method.name == schedule_method || method.name == contents_method) continue;
    if (!fits_random_programs(method)) continue;
    CAPTURE(method.name);
    std::uint64_t kept = 0;
    bool is_caught = false;
    for (std::uint64_t seed = 1; seed < 60 && !is_caught; ++seed) {
      Recording recording = record(program, method, seed);
      lose_some(recording.log, kept);
      is_caught = std::ranges::any_of(replayed_on, [&](const Machine& elsewhere) {
        return !parting(program, method, recording, elsewhere).empty();
      });
    }
    CHECK(is_caught);
  }
}

// Programs of a round or two: most longer ones poll.
TEST_CASE("Random programs without open calls are recorded by cards or switches alone",
          "[campaign]") {
  RandomProgram program;
  std::uint64_t taken = 0;
  const std::uint64_t programs = program_count(300);
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    const RecorderKind& method = recorder_kind(seed % 4 < 2 ? "nic" : "switch");
    CAPTURE(seed, method.name);
    const auto run = [&](const Machine& machine, Chooser& chooser, Observer* observer) {
      const std::vector<std::string> arguments{"--small", "--keep-named", std::to_string(seed),
                                               seed % 3 == 0 ? "2" : "1"};
      return program.run(arguments, static_cast<std::uint32_t>(2 + seed % 5), machine, chooser,
                         {observer});
    };
    const auto recorder = recorder_of(method, seed);
    Machine home = with_cards.back();
    home.network = seed % 2 == 0 ? "myrinet-pcixd" : "myrinet-pci64b:2";
    home.firmware = recorder->firmware();
    const auto random = make_strategy("random")->chooser({});
    FirstArrivedChooser first_arrived(*random);
    const Run first = run(home, first_arrived, &recorder->observer());
    const std::string blind_spot = recorder->blind_spot();
    // What it refuses is what no card sees: never an order.
    CHECK(blind_spot.find("another message") == std::string::npos);
    CHECK(blind_spot.find("records") == std::string::npos);
    if (!blind_spot.empty()) continue;
    ++taken;
    const SavedRun log = saved(method, recorder->blocks());
    for (Machine elsewhere : replayed_on) {
      CAPTURE(elsewhere.seed);
      elsewhere.eager_threshold_bytes = home.eager_threshold_bytes;
      const auto others = make_strategy("random")->chooser({});
      const auto replayer = method.make_replayer(log, *others, ReplayMode::strict);
      const Run again = run(elsewhere, replayer->chooser(), replayer->observer());
      CHECK(replayer->judge(again.outcome).findings.empty());
      CHECK(test::difference(first.seen, again.seen) == "");
    }
  }
  CAPTURE(taken, programs);
  if (programs >= 50) CHECK(taken * 5 >= programs);
}

}  // namespace orrery
