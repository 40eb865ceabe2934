// Bugs of threaded programs on this machine's own cores: each is run under `orrery record`, with
// delays, until it fails; its log then fails the same way in simulation, ten times of ten, and is
// made small.  CI has some that fail fast; `./dev campaign bugs` has them all, ten minutes each at
// most.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

struct Bug {
  const char* program;
  const char* arguments;  ///< so that it fails within seconds
  const char* method;     ///< races of plain memory need one that follows memory
  int preemptions;        ///< that the bug needs: the fewest with which searches have found it
};

/// How many more may be left where the log of a real run is made small.
constexpr int preemptions_more_max = 2;

// A cycle of locks; a barrier without rounds; a free list whose atomics meet again what has changed
// meanwhile.
constexpr Bug fast_bugs[] = {{"bank", "", "lamport-order", 1},
                             {"radix", "", "lamport-order", 0},
                             {"pool", "", "lamport-order", 1}};
// `ocean` has a race that changes no answer: nothing fails there.
constexpr Bug other_bugs[] = {{"steal", "", "lamport-order", 2},
                              {"cache", "", "lamport-order", 1},
                              {"lu", "", "stride", 1},
                              {"fft", "", "stride", 1},
                              {"nbody", "", "stride", 1}};

/// How a run under the recorder, or a replay, has failed: in one word.
std::string failure_in(const CommandResult& run) {
  for (const char* const kind :
       {"divergence", "from outside", "deadlock", "assertion", "exit", "crash"}) {
    const std::string text = run.err.substr(0, run.err.find(":"));
    if (has(run.err, fmt::format("\n{}:", kind)) || text == kind || has(text, kind)) return kind;
  }
  return run.status == 0 ? "none" : "unknown";
}

struct Preemptions {
  int before;  ///< in the log of the real run
  int after;   ///< in the one made small
};

class RealBug {
 public:
  explicit RealBug(const Bug& bug) : bug_(bug) {
    const CommandResult built = here_.shell(fmt::format(
        "CC='{0} cc' CXX='{0} c++' {1}/scenarios/programs/threads/build.sh {2} app -DBUG",
        ORRERY_BINARY, ORRERY_SOURCE_DIR, bug.program));
    INFO(built.err);
    REQUIRE(built.status == 0);
  }

  /// False: it has not failed in that time.  A run that only spins until it is ended is none.
  bool fails_within(std::chrono::minutes limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (tries_ = 1; std::chrono::steady_clock::now() < end; ++tries_) {
      // Who hangs is ended.
      const CommandResult real = here_.shell(fmt::format(
          "timeout --preserve-status -s INT 3 {} record --method {} --inject-delays=300us "
          "--seed {} -o run.orr ./app {}",
          ORRERY_BINARY, bug_.method, tries_, bug_.arguments));
      if (real.status != 1) continue;
      const CommandResult first = here_.orrery("replay run.orr");
      failure_ = failure_in(first);
      if (failure_ == "from outside") continue;
      INFO(real.err << first.err);
      CHECK(first.status == 1);
      // What hung is the deadlock that it was, what was aborted the assertion.
      const std::string how = failure_in(real);
      const bool is_told_better = (how == "from outside" && failure_ == "deadlock") ||
                                  (how == "crash" && failure_ == "assertion");
      CHECK((failure_ == how || is_told_better));
      return true;
    }
    return false;
  }

  /// Of ten, elsewhere: how many failed in the same way.
  [[nodiscard]] int equal_replays() const {
    int equal = 0;
    for (int seed = 1; seed <= 10; ++seed) {
      const CommandResult again =
          here_.orrery(fmt::format("replay --seed {} --window {}us run.orr", seed, 20 * seed));
      if (again.status == 1 && failure_in(again) == failure_) {
        ++equal;
      } else {
        UNSCOPED_INFO("seed " << seed << ": " << again.err);
      }
    }
    return equal;
  }

  Preemptions made_small() {
    const CommandResult steps = here_.orrery("replay --quiet --record steps.orr run.orr");
    INFO(steps.err);
    REQUIRE(steps.status == 1);
    // Those that follow memory have some ten thousand steps, and few switches.
    const bool is_short = bug_.method == std::string("lamport-order");
    const CommandResult small = here_.orrery(
        fmt::format("shrink --json --runs {} steps.orr -o small.orr", is_short ? 20'000 : 4000));
    INFO(small.out << small.err);
    REQUIRE(small.status == 1);
    CHECK(failure_in(here_.orrery("replay small.orr")) == failure_);
    const auto report = nlohmann::json::parse(small.out);
    const nlohmann::json& stats = report.at("stats");
    REQUIRE(stats.contains("after"));
    return {stats.at("before").at("preemptions").get<int>(),
            stats.at("after").at("preemptions").get<int>()};
  }

  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] int tries() const { return tries_; }

 private:
  const Bug& bug_;
  WorkingDirectory here_;
  std::string failure_;
  int tries_ = 0;
};

void try_bug(const Bug& bug) {
  constexpr std::chrono::minutes limit(10);
  CAPTURE(bug.program);
  RealBug real(bug);
  if (!real.fails_within(limit)) {
    fmt::print("{:6} has not failed on these cores in {} minutes\n", bug.program, limit.count());
    return;
  }
  const int equal = real.equal_replays();
  const Preemptions preemptions = real.made_small();
  fmt::print(
      "{:6} {:9} at try {:3}; {:2} of ten replays equal; preemptions: {}, {} made small, {} "
      "needed\n",
      bug.program, real.failure(), real.tries(), equal, preemptions.before, preemptions.after,
      bug.preemptions);
  std::fflush(stdout);
  CHECK(equal == 10);
  CHECK(preemptions.after <= bug.preemptions + preemptions_more_max);
}

}  // namespace

TEST_CASE("Bugs that fail on real cores fail in their replays, ten times of ten, and made small") {
  for (const Bug& bug : fast_bugs) {
    CAPTURE(bug.program);
    RealBug real(bug);
    REQUIRE(real.fails_within(std::chrono::minutes(3)));
    CHECK(real.equal_replays() == 10);
    CHECK(real.made_small().after <= bug.preemptions + preemptions_more_max);
  }
}

// Asked for by name alone: whoever runs this file's tests has not got an hour.  The variable says 1
// for all, or which program.
TEST_CASE("All bugs, each until it fails or for ten minutes", "[.bugs]") {
  const char* const wanted = std::getenv("ORRERY_CAMPAIGN_BUGS");
  if (wanted == nullptr) return;
  const auto try_wanted = [wanted](const Bug& bug) {
    if (wanted == std::string("1") || wanted == std::string(bug.program)) try_bug(bug);
  };
  for (const Bug& bug : fast_bugs) try_wanted(bug);
  for (const Bug& bug : other_bugs) try_wanted(bug);
}
