// Random MPI programs recorded with checkpoints: each interval of each rank, executed again with no
// more than what it depends on, does the same and leaves the same memory.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <orrery/replay_core/saved_run.hpp>

#include "golden/command_runner.hpp"

namespace orrery {
namespace {

using test::CommandResult;
using test::WorkingDirectory;
using Json = nlohmann::json;

/// As many in a campaign as its variable says.
std::uint64_t program_count() {
  const char* const wanted = std::getenv("ORRERY_CAMPAIGN_PROGRAMS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 12;
}

std::string text(const IntervalId& id) {
  return fmt::format("{}:{}", id.rank, id.number);
}

/// The random program, built once.
const WorkingDirectory& built_program() {
  static const WorkingDirectory here;
  static const bool is_built = [] {
    const CommandResult built =
        here.shell("'" ORRERY_BINARY "' cc -std=gnu11 -O1 -g " ORRERY_SOURCE_DIR
                   "/tests/programs/random_mpi/*.c -o app");
    INFO(built.err);
    REQUIRE(built.status == 0);
    return true;
  }();
  CHECK(is_built);
  return here;
}

const std::vector<std::string> methods{"orders", "wildcards", "racing-messages",
                                       "racing-messages-tight"};

constexpr std::uint64_t ranks_of(std::uint64_t seed) {
  return 2 + seed % 7;
}

/// Where it is recorded: `flags` as `run` takes them.
struct Home {
  const char* flags;
  const char* checkpoints;
};
const std::vector<Home> homes{{"--seed 3 --window inf", "8"},
                              {"--seed 8 --window 20us --platform myrinet-pci64b", "5"},
                              {"--seed 5 --window inf --eager-threshold 0", "13"},
                              {"--seed 4", "300us"}};

/// `checkpoints`: flags.
void record(const WorkingDirectory& here, std::uint64_t seed, const std::string& method,
            const std::string& checkpoints) {
  const CommandResult recorded =
      here.orrery(fmt::format("run -n {} {} --record a.orr --method {} {} ./app {}", ranks_of(seed),
                              homes[seed % homes.size()].flags, method, checkpoints, seed));
  INFO(recorded.err);
  REQUIRE(recorded.status == 0);
}

std::string with_checkpoints(std::uint64_t seed) {
  return std::string("--checkpoint-every ") + homes[seed % homes.size()].checkpoints;
}

/// Executes the interval again, and says how many others that took.
std::size_t replay(const WorkingDirectory& here, const CheckpointedRun& run,
                   const Interval& interval) {
  CAPTURE(text(interval.id));
  const CommandResult again = here.orrery("replay a.orr --json --interval " + text(interval.id));
  INFO(again.out << again.err);
  CHECK(again.status == 0);
  if (again.status == 2 || again.out.empty()) return 0;
  const Json stats = Json::parse(again.out).at("stats");
  CHECK(stats.at("memory_matches") == true);
  CHECK(stats.at("events_match") == true);
  CHECK(stats.at("intervals_total") == run.intervals.size());
  std::set<std::string> expected{text(interval.id)};
  for (const IntervalId& id : interval.depends_on) expected.insert(text(id));
  std::set<std::string> executed;
  for (const Json& id : stats.at("intervals_replayed")) executed.insert(id.get<std::string>());
  CHECK(executed == expected);
  return executed.size();
}

}  // namespace

TEST_CASE("Each interval of random programs is the same again, with what it depends on alone") {
  const WorkingDirectory& here = built_program();
  std::uint64_t executed = 0;
  std::uint64_t all = 0;
  for (std::uint64_t seed = 1; seed <= program_count(); ++seed) {
    CAPTURE(seed);
    record(here, seed, methods[seed / 2 % methods.size()], with_checkpoints(seed));
    const SavedRun saved = load_run((here.path() / "a.orr").string());
    REQUIRE(saved.checkpoints);
    const CheckpointedRun& run = *saved.checkpoints;
    REQUIRE(run.intervals.size() > ranks_of(seed));
    for (const Interval& interval : run.intervals) {
      executed += replay(here, run, interval);
      all += run.intervals.size();
    }
  }
  // Not everything is executed for each of them.
  CAPTURE(executed, all);
  CHECK(executed * 2 < all);
}

TEST_CASE("With the contents of all messages each interval is executed by itself, and each rank") {
  const WorkingDirectory& here = built_program();
  for (std::uint64_t seed = 1; seed <= program_count(); ++seed) {
    CAPTURE(seed);
    const bool has_checkpoints = seed % 2 != 0;
    record(here, seed, "contents", has_checkpoints ? with_checkpoints(seed) : "");
    const SavedRun saved = load_run((here.path() / "a.orr").string());
    REQUIRE(saved.checkpoints);
    const CheckpointedRun& run = *saved.checkpoints;
    CHECK((run.intervals.size() > ranks_of(seed)) == has_checkpoints);
    if (has_checkpoints) {
      for (const Interval& interval : run.intervals) CHECK(replay(here, run, interval) == 1);
    }
    for (std::uint64_t rank = 0; rank < ranks_of(seed); ++rank) {
      CAPTURE(rank);
      const CommandResult again =
          here.orrery(fmt::format("replay a.orr --platform ethernet-1g --json --rank {}", rank));
      INFO(again.out << again.err);
      CHECK(again.status == 0);
      CHECK(test::has(again.out, "\"memory_matches\": true"));
      CHECK(test::has(again.out, "\"events_match\": true"));
    }
    CHECK(here.orrery("replay a.orr --seed 9 --window inf").status == 0);
  }
}

TEST_CASE("What a recording that was killed has left replays up to there") {
  const WorkingDirectory& here = built_program();
  std::uint64_t intervals = 0;
  for (const int bytes : {5'000, 30'000, 90'000}) {
    CAPTURE(bytes);
    static_cast<void>(here.shell(
        fmt::format("rm -rf b.orr*; setsid '" ORRERY_BINARY
                    "' run -n 4 --seed 2 --step-limit 100000000 --record b.orr --method wildcards "
                    "--checkpoint-every 6 ./app 7 1000 > /dev/null 2>&1 & p=$!; "
                    "while kill -0 $p && [ \"$(stat -c %s b.orr.part || echo 0)\" -lt {} ]; do "
                    "sleep 0.02; done; "
                    "kill -9 -$p; wait $p",
                    bytes)));
    const std::string left = (here.path() / "b.orr.part").string();
    REQUIRE(std::filesystem::exists(left));
    const SavedRun saved = load_run(left, LogExtent::valid_prefix);
    REQUIRE(saved.checkpoints);
    std::map<std::int32_t, IntervalId> last;
    for (const Interval& interval : saved.checkpoints->intervals) {
      if (interval.has_ended) last[interval.id.rank] = interval.id;
    }
    for (const auto& [rank, id] : last) {
      const CommandResult again = here.orrery("replay b.orr --json --interval " + text(id));
      INFO(text(id) << again.out << again.err);
      CHECK(again.status == 0);
      CHECK(test::has(again.out, "\"memory_matches\": true"));
      ++intervals;
    }
  }
  CHECK(intervals == 3 * 4);
}

}  // namespace orrery
