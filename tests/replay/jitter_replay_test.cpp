// Runs with delays by chance, replayed where delays are others, or none: the same events.
#include <chrono>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/replay_core/event_stream.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

/// Whoever is first is told so; delays decide.
void race(World& world) {
  world.ranks(4, [&world](Communicator& comm) {
    if (comm.rank() != 0) {
      for (int i = 0; i < 5; ++i) comm.send(0, i, comm.rank());
      static_cast<void>(comm.receive<int>(0));
      return;
    }
    const int first = comm.receive<int>().value;
    for (int i = 1; i < 15; ++i) static_cast<void>(comm.receive<int>());
    for (int rank = 1; rank < 4; ++rank) {
      comm.send(rank, 9, rank == first ? static_cast<int>(world.random().below(100)) : 0);
    }
  });
}

struct SeenRun {
  Outcome outcome;
  Schedule schedule;
  std::vector<EventStream::Entry> events;
};

SimulationOptions machine(const char* network, std::size_t eager_bytes) {
  SimulationOptions options;
  options.window = VirtualDuration::zero();
  options.eager_threshold_bytes = eager_bytes;
  options.network = network_factory(network, 4, "test");
  return options;
}

SeenRun watch(const SimulationOptions& options, Chooser& chooser) {
  Simulation simulation(options);
  ScheduleRecorder recorder;
  EventStream events;
  Observer* const observers[] = {&recorder, &events};
  SeenRun run;
  run.outcome = simulation.run(race, chooser, observers);
  run.schedule = recorder.schedule();
  run.events.assign(events.entries().begin(), events.entries().end());
  return run;
}

std::size_t delays_in(const Schedule& schedule) {
  std::size_t count = 0;
  for (const ScheduleEntry& entry : schedule.entries) {
    if (entry.choice == ChoiceKind::jitter && entry.value() > 0) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("A run with jitter is the same run under another seed, another network, and none") {
  const auto strategy = make_strategy("random");
  for (const std::size_t eager_bytes : {std::size_t{0}, std::size_t{1} << 20U}) {
    for (const char* const recorded_on : {"constant:jitter=30us", "ethernet-1g", "constant"}) {
      CAPTURE(eager_bytes, recorded_on);
      SimulationOptions options = machine(recorded_on, eager_bytes);
      options.seed = 3;
      const SeenRun original = watch(options, *strategy->chooser({}));
      REQUIRE(original.outcome.is_clean());
      CHECK((delays_in(original.schedule) > 0) == (recorded_on[8] == ':'));
      const Schedule read = decode_schedule(encode_schedule(original.schedule));
      CHECK(read == original.schedule);
      for (const char* const replayed_on :
           {recorded_on, "constant", "constant:jitter=exponential-1ms", "myrinet-pcixd"}) {
        CAPTURE(replayed_on);
        SimulationOptions others = machine(replayed_on, eager_bytes);
        others.seed = 99;
        UndisturbedChooser fallback;
        ScheduleReplayer replayer(read, fallback, ReplayMode::strict);
        const SeenRun again = watch(others, replayer);
        CHECK(replayer.judge(again.outcome).is_clean());
        CHECK_FALSE(first_difference(original.events, again.events));
        CHECK(replayer.is_used_up());
        if (replayed_on == recorded_on) CHECK(again.outcome.end == original.outcome.end);
      }
    }
  }
}
