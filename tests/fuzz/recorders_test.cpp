// Random MPI programs, recorded by each method and replayed elsewhere: the same runs.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/program_host/hosted_program.hpp>
#include <orrery/replay_core/natural_order.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "golden/command_runner.hpp"
#include "replay/same_run.hpp"

namespace orrery {
namespace {

/// As many in a campaign as its variable says: `./dev campaign`.
std::uint64_t program_count() {
  const char* const wanted = std::getenv("ORRERY_CAMPAIGN_PROGRAMS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 300;
}

std::uint64_t first_seed() {
  const char* const wanted = std::getenv("ORRERY_CAMPAIGN_SEED");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 1;
}

struct Machine {
  std::uint64_t seed = 0;
  VirtualDuration window;
  std::string network;
  std::uint64_t eager_threshold_bytes = std::uint64_t{64} * 1024;
};

struct Run {
  Outcome outcome;
  test::NamedRun seen;
};

/// The random program, loaded once for each number of ranks.
class RandomProgram {
 public:
  RandomProgram() {
    const auto built = here_.shell("'" ORRERY_BINARY "' cc -std=gnu11 -O1 -g " ORRERY_SOURCE_DIR
                                   "/tests/programs/random_mpi/*.c -o app");
    INFO(built.err);
    REQUIRE(built.status == 0);
  }

  Run run(std::uint64_t seed, const Machine& machine, Chooser& chooser,
          std::initializer_list<Observer*> others) {
    return run({std::to_string(seed)}, static_cast<std::uint32_t>(2 + seed % 7), machine, chooser,
               others);
  }

  Run run(const std::vector<std::string>& arguments, std::uint32_t ranks, const Machine& machine,
          Chooser& chooser, std::initializer_list<Observer*> others) {
    std::shared_ptr<ProgramImage>& image = images_[ranks];
    if (image == nullptr) {
      image = std::make_shared<ProgramImage>(here_.path() / "app", ranks,
                                             ProgramImageOptions{front_end_beside(ORRERY_BINARY)});
    }
    SimulationOptions options;
    options.seed = machine.seed;
    options.window = machine.window;
    options.stack_bytes = hosted_stack_bytes;
    options.eager_threshold_bytes = machine.eager_threshold_bytes;
    options.network = network_factory(machine.network, ranks);
    Simulation simulation(options);
    Run result;
    EventStream events;
    std::vector<Observer*> observers{&events, &result.seen.paths};
    for (Observer* const one : others) {
      if (one != nullptr) observers.push_back(one);
    }
    result.outcome = simulation.run(hosted_program(image, arguments), chooser, observers);
    result.seen.events.assign(events.entries().begin(), events.entries().end());
    return result;
  }

 private:
  test::WorkingDirectory here_;
  std::map<std::uint32_t, std::shared_ptr<ProgramImage>> images_;
};

const std::array<Machine, 3> recorded_on{{{3, any_order, "constant"},
                                          {8, std::chrono::microseconds(20), "myrinet-pci64b"},
                                          {5, any_order, "constant", 0}}};
const std::array<Machine, 3> replayed_on{
    {{71, any_order, "constant:latency=50us"},
     {72, VirtualDuration::zero(), "myrinet-pci64b"},
     {73, std::chrono::microseconds(3), "constant:latency=2us,bandwidth=10MB/s"}}};

/// As a log would hold them: through their bytes.
SavedRun saved(const RecorderKind& method, const std::vector<RecordedBlock>& blocks) {
  Log log;
  log.path = "test";
  log.blocks.push_back({BlockKind::run, BlockNeed::required, 0, encode_settings({})});
  const std::string name(method.name);
  const auto text = std::as_bytes(std::span(name));
  log.blocks.push_back({BlockKind::method, BlockNeed::required, 0, {text.begin(), text.end()}});
  for (const RecordedBlock& block : blocks) {
    log.blocks.push_back({block.kind, BlockNeed::required, 0, block.content});
  }
  return load_run(log);
}

/// What a recorder would leave that loses every fiftieth of its records; `kept` counts over all
/// runs.
void lose_some(MessageRecords& records, std::uint64_t& kept) {
  const auto is_lost = [&](const auto&) { return ++kept % 50 == 0; };
  for (OpenCalls& calls : records.calls) std::erase_if(calls.sources, is_lost);
  std::erase_if(records.traced, is_lost);
}

/// Is there a schedule that fits the records and is another run than the recorded one?
bool changes_some_run(RandomProgram& program, const std::vector<std::string>& arguments,
                      std::uint32_t ranks, const Run& recorded, const RecorderKind& method,
                      const SavedRun& log) {
  constexpr int runs_max = 4000;
  const auto strategy = make_strategy("exhaustive");
  std::vector<std::byte> walk(strategy->walk_bytes());
  strategy->first(walk);
  const Machine any{1, any_order, "constant"};
  for (int i = 0; i < runs_max; ++i) {
    const auto chooser = strategy->chooser(walk);
    const auto replayer = method.make_replayer(log, *chooser, ReplayMode::strict);
    const Run again =
        program.run(arguments, ranks, any, replayer->chooser(), {replayer->observer()});
    if (replayer->judge(again.outcome).status == Outcome::Status::finding) return true;
    if (again.outcome.status == Outcome::Status::clean &&
        !test::difference(recorded.seen, again.seen).empty()) {
      return true;
    }
    if (!strategy->next(walk)) return false;
  }
  return false;
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
  Recording recording{.seed = seed, .home = recorded_on[seed % recorded_on.size()]};
  const auto recorder = method.make_recorder();
  const auto random = make_strategy("random")->chooser({});
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

TEST_CASE("Random programs replay under every method as they were recorded, on other machines") {
  RandomProgram program;
  for (const RecorderKind& method : recorders()) {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + program_count(); ++seed) {
      CAPTURE(method.name, seed);
      const Recording recording = record(program, method, seed);
      REQUIRE(recording.run.outcome.status == Outcome::Status::clean);
      REQUIRE(recording.blind_spot.empty());
      for (const Machine& elsewhere : replayed_on) {
        CAPTURE(elsewhere.seed);
        CHECK(parting(program, method, recording, elsewhere) == "");
      }
    }
  }
}

// Not all do at once: polls may have gone as they go in no run without a replayer.
TEST_CASE("Most small runs that were recorded by their messages become schedules of the same run") {
  RandomProgram program;
  UndisturbedChooser undisturbed;
  const Machine home{1, any_order, "constant"};
  for (const RecorderKind& method : recorders()) {
    if (method.name == schedule_method) continue;
    const std::uint64_t programs = program_count() / 4;
    std::uint64_t same = 0;
    for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
      const std::vector<std::string> arguments{"--small", std::to_string(seed)};
      const auto run = [&](Chooser& chooser, std::initializer_list<Observer*> observers) {
        return program.run(arguments, 3, home, chooser, observers);
      };
      const auto recorder = method.make_recorder();
      const auto random = make_strategy("random")->chooser({});
      const Run first = run(*random, {&recorder->observer()});
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
    CHECK(same * 10 >= programs * 8);
  }
}

TEST_CASE("A recorder that loses every fiftieth record does not pass for a good one") {
  RandomProgram program;
  for (const RecorderKind& method : recorders()) {
    if (method.name == schedule_method) continue;
    CAPTURE(method.name);
    std::uint64_t kept = 0;
    bool is_caught = false;
    for (std::uint64_t seed = 1; seed < 60 && !is_caught; ++seed) {
      Recording recording = record(program, method, seed);
      lose_some(recording.log.messages, kept);
      is_caught = std::ranges::any_of(replayed_on, [&](const Machine& elsewhere) {
        return !parting(program, method, recording, elsewhere).empty();
      });
    }
    CHECK(is_caught);
  }
}

// Not all: timestamps travel on messages only, so that what a sender has learned from an
// acknowledgement counts as not known; and a search of so many runs may miss the one that differs.
TEST_CASE("Most tight records of racing messages are needed: without it some run is another") {
  RandomProgram program;
  const auto strategy = make_strategy("random");
  const RecorderKind& method = recorder_kind("racing-messages-tight");
  std::uint64_t records = 0;
  std::uint64_t needed = 0;
  const std::uint64_t programs = program_count() / 3;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const auto ranks = static_cast<std::uint32_t>(2 + seed % 2);
    const std::vector<std::string> arguments{"--small", std::to_string(seed), "1"};
    const auto recorder = method.make_recorder();
    const auto random = strategy->chooser({});
    const Machine home{seed, any_order, "constant"};
    const Run first = program.run(arguments, ranks, home, *random, {&recorder->observer()});
    const SavedRun log = saved(method, recorder->blocks());
    for (std::size_t i = 0; i < log.messages.traced.size(); ++i) {
      if (log.messages.traced[i].send == OperationId{}) continue;  // of a cancelled receive
      SavedRun without = log;
      without.messages.traced.erase(without.messages.traced.begin() +
                                    static_cast<std::ptrdiff_t>(i));
      ++records;
      if (changes_some_run(program, arguments, ranks, first, method, without)) ++needed;
    }
  }
  CAPTURE(records, needed);
  CHECK(records > programs / 10);
  CHECK(needed * 2 >= records);
}

}  // namespace orrery
