// Races of random MPI programs, with polls, probes, collectives and cancellations, the other way
// round.
#include <algorithm>
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/bent_runs.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "fuzz/random_program.hpp"
#include "replay/bent_run_check.hpp"

namespace orrery {
namespace {

using test::Machine;
using test::RandomProgram;
using test::Run;

/// The recorded run, and how it can be bent.
struct Recording {
  std::uint64_t seed = 0;
  Schedule schedule = {};
  Run run = {};
};

Recording record(RandomProgram& program, std::uint64_t seed, BendPlanner& planner) {
  const auto random = make_strategy("random")->chooser({});
  ScheduleRecorder recorder;
  Recording recording{.seed = seed};
  const Machine home{seed, any_order, "constant"};
  recording.run = program.run(seed, home, *random, {&recorder, &planner});
  recording.schedule = recorder.schedule();
  return recording;
}

void check_bent(RandomProgram& program, const Recording& recorded, const BendPlan& plan,
                const Machine& machine) {
  BentChooser chooser(recorded.schedule, plan);
  test::GotWatcher got;
  ScheduleRecorder recorder;
  const Run bent = program.run(recorded.seed, machine, chooser, {&chooser, &got, &recorder});
  const auto unmet = chooser.unmet();
  INFO((unmet ? unmet->why : "met"));
  INFO((bent.outcome.findings.empty() ? "no finding" : bent.outcome.findings.front().message));
  CHECK(!unmet);
  CHECK(test::first_unmet(plan, got) == "");
  CHECK(test::first_strange(recorded.run.seen.events, plan, bent.seen.events, got) == "");
  // No order makes these programs fail.
  CHECK(bent.outcome.status == Outcome::Status::clean);
  // A schedule says all of it.
  UndisturbedChooser fallback;
  const Schedule schedule = recorder.schedule();
  ScheduleReplayer replayer(schedule, fallback);
  const Run again = program.run(recorded.seed, machine, replayer, {});
  INFO((replayer.parted() ? replayer.parted()->message : "replayed"));
  CHECK(!replayer.parted());
  CHECK(test::difference(bent.seen, again.seen) == "");
}

struct RaceCount {
  std::uint64_t races = 0;
  std::uint64_t refused = 0;
};

/// Exchanges some of the races of one program.
void bend_races(RandomProgram& program, std::uint64_t seed, RaceCount& counts) {
  constexpr std::uint64_t races_max = 12;
  BendPlanner planner;
  const Recording recorded = record(program, seed, planner);
  const std::uint64_t count = planner.race_count();
  const std::uint64_t stride = std::max<std::uint64_t>(1, count / races_max);
  for (std::uint64_t number = 1; number <= count; number += stride, ++counts.races) {
    const Bend swap = planner.swap(number, "--swap");
    CAPTURE(seed, number, text(swap));
    BendPlan plan;
    try {
      plan = planner.plan({swap});
    } catch (const UsageError&) {
      // That messages keep their order on the way is no part of what makes a race.
      ++counts.refused;
      continue;
    }
    check_bent(program, recorded, plan, {seed, any_order, "constant"});
    check_bent(program, recorded, plan, {seed + 1, VirtualDuration::zero(), "ethernet-1g"});
  }
}

}  // namespace

TEST_CASE("Races of random MPI programs are exchanged, and all before is as it was", "[campaign]") {
  RandomProgram program;
  const std::uint64_t programs = test::program_count(60), first = test::first_seed();
  RaceCount counts;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    bend_races(program, seed, counts);
  }
  CAPTURE(counts.races, counts.refused);
  CHECK(counts.refused * 100 <= counts.races);
  if (programs >= 60) CHECK(counts.races > 100);
}

TEST_CASE("Races of random MPI programs that once went another way too early are exchanged") {
  RandomProgram program;
  RaceCount counts;
  // A call that reports some of several requests, when others are complete than were.
  for (const std::uint64_t seed : {1000229U}) bend_races(program, seed, counts);
  CHECK(counts.races > 0);
}

}  // namespace orrery
