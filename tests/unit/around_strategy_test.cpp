// The strategy `around`: the neighbours of a recorded run.
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <unistd.h>

#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>

#include "explored_programs.hpp"
#include "polling_threads.hpp"

namespace {

using orrery::ExploreOptions;
using orrery::Program;
using orrery::Report;
using orrery::World;

/// A log that goes with the test.
class RecordedRun {
 public:
  /// The first run of a random search in which `program` fails, not made smaller.
  explicit RecordedRun(const Program& program, bool isolate = true)
      : path_(std::filesystem::temp_directory_path() /
              ("orrery-around-" + std::to_string(getpid()) + ".orr")) {
    ExploreOptions options;
    options.runs = 100'000;
    options.shrink = false;
    options.isolate = isolate;
    options.save_path = path_.string();
    const Report report = orrery::explore(options, program);
    REQUIRE(report.findings.size() == 1);
  }
  ~RecordedRun() { std::filesystem::remove(path_); }
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

ExploreOptions around(const std::string& path, std::uint64_t runs) {
  ExploreOptions options;
  options.strategy = "around:file=" + path;
  options.runs = runs;
  options.save_logs = options.shrink = false;
  return options;
}

/// Fails if its reader sees these three values, which a search by chance seldom comes to.
Program reads(int first, int second, int third) {
  return [=](World& world) {
    orrery::Shared<int> phase(world, 0, "phase");
    auto writer = world.thread("writer", [&] {
      for (int i = 1; i <= 8; ++i) phase.store(i);
    });
    auto reader = world.thread("reader", [&] {
      const bool is_first = phase.load() == first;
      const bool is_second = phase.load() == second;
      const bool is_third = phase.load() == third;
      world.check(!(is_first && is_second && is_third), "the rare order came up");
    });
  };
}

/// Collects what the runs draw.
Program draws(std::set<std::vector<std::uint64_t>>& seen, bool fails) {
  return [&seen, fails](World& world) {
    const std::vector<std::uint32_t> weights{1, 0, 1};
    std::vector<std::uint64_t> drawn{world.random().between(0, 9), world.random().below(1),
                                     world.random().weighted(weights)};
    seen.insert(drawn);
    world.check(!fails, "as wanted");
  };
}

/// A run of two threads that poll in vain, in which an update is lost, or is not.
orrery::Schedule polling_run(bool fails) {
  orrery::ScheduleRecorder recorder;
  orrery::Simulation simulation({});
  const std::vector<orrery::Observer*> observers{&recorder};
  for (std::uint32_t seed = 1; seed < 200; ++seed) {
    polling_threads::InSlices chooser(seed);
    const auto outcome = simulation.run(polling_threads::meet_and_count, chooser, observers);
    if (outcome.findings.empty() != fails) break;
  }
  return recorder.schedule();
}

Report around_polling_run(bool fails, std::uint64_t runs) {
  ExploreOptions options;
  options.own_strategy = orrery::make_strategy_around(polling_run(fails), "near.orr");
  options.runs = runs;
  options.save_logs = options.shrink = false;
  return orrery::explore(options, polling_threads::meet_and_count);
}

}  // namespace

TEST_CASE("the first run of a search around a log is the recorded one") {
  const RecordedRun recorded(reads(1, 2, 3));
  const Report again = orrery::explore(around(recorded.path(), 1), reads(1, 2, 3));
  REQUIRE(again.findings.size() == 1);
  CHECK(again.findings[0].schedule == orrery::load_run(recorded.path()).schedule);
  CHECK(orrery::make_strategy("around:file=" + recorded.path())->text() ==
        "around:file=" + recorded.path());
}

TEST_CASE("a bug near a recorded run is found soon") {
  const RecordedRun near_miss(reads(2, 5, 6));
  const Report report = orrery::explore(around(near_miss.path(), 2000), reads(2, 5, 7));
  REQUIRE(report.findings.size() == 1);
  // One answer more, to a question at the end of some twenty.
  CHECK(report.runs <= 40);
  CHECK(orrery::explore(around(near_miss.path(), 2000), programs::mended_update).findings.empty());
}

TEST_CASE("one answer is changed in each of the first runs, then more") {
  const RecordedRun recorded(reads(0, 0, 0));
  // As far from it as a run can be.
  const Report report = orrery::explore(around(recorded.path(), 20'000), reads(8, 8, 8));
  CHECK(report.runs > 1);
  CHECK(report.findings.size() == 1);
  // All neighbours are other runs.
  const Report neighbours = orrery::explore(around(recorded.path(), 8), reads(9, 9, 9));
  CHECK(neighbours.distinct_schedules == 8);
}

TEST_CASE("a run that polls on where nothing has happened is searched around by its turns") {
  // The first run cannot be the recorded one, so the second is.
  const Report again = around_polling_run(true, 2);
  CHECK(again.runs == 2);
  CHECK(again.findings.size() == 1);
  const Report near = around_polling_run(false, 5000);
  CHECK(near.runs > 2);
  CHECK(near.findings.size() == 1);
}

TEST_CASE("draws are varied too, and what cannot come up is not drawn") {
  std::set<std::vector<std::uint64_t>> seen;
  const RecordedRun recorded(draws(seen, true), /*isolate=*/false);
  REQUIRE(seen.size() == 1);
  const std::vector<std::uint64_t> base = *seen.begin();
  seen.clear();
  ExploreOptions options = around(recorded.path(), 3);
  options.isolate = false;
  CHECK(orrery::explore(options, draws(seen, false)).runs == 3);
  REQUIRE(seen.size() == 3);
  for (const std::vector<std::uint64_t>& drawn : seen) {
    const int changed = (drawn[0] != base[0] ? 1 : 0) + (drawn[2] != base[2] ? 1 : 0);
    CHECK(changed <= 1);
    CHECK(drawn[1] == 0);
    CHECK(drawn[2] != 1);
  }
}

TEST_CASE("a run without questions has no neighbours") {
  bool fails = true;
  const Program program = [&fails](World& world) { world.check(!fails, "as wanted"); };
  const RecordedRun recorded(program);
  fails = false;
  CHECK(orrery::explore(around(recorded.path(), 100), program).runs == 1);
}

TEST_CASE("a search around a log needs a log with a schedule") {
  CHECK_THROWS_AS(orrery::make_strategy("around"), orrery::UsageError);
  CHECK_THROWS_AS(orrery::make_strategy("around:file=/no/such/log.orr"), orrery::UsageError);
  CHECK_THROWS_WITH(orrery::make_strategy("around:fil=a"), Catch::Contains("file"));
}
