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
  int preemptions;        ///< that the bug needs
};

// A cycle of locks; a barrier without rounds.
constexpr Bug small_bugs[] = {{"bank", "", "lamport-order", 1}, {"radix", "", "lamport-order", 0}};
// A free list whose atomics meet again what has changed meanwhile.
constexpr Bug fast_bugs[] = {{"pool", "", "lamport-order", 2}};
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

  void check_replays() const {
    for (int seed = 1; seed <= 10; ++seed) {
      const CommandResult again =
          here_.orrery(fmt::format("replay --seed {} --window {}us run.orr", seed, 20 * seed));
      INFO(again.err);
      CHECK(again.status == 1);
      CHECK(failure_in(again) == failure_);
    }
  }

  /// Returns how many preemptions are left.
  int made_small() {
    const CommandResult steps = here_.orrery("replay --quiet --record steps.orr run.orr");
    INFO(steps.err);
    REQUIRE(steps.status == 1);
    const CommandResult small = here_.orrery("shrink --json steps.orr -o small.orr");
    INFO(small.out << small.err);
    REQUIRE(small.status == 1);
    CHECK(failure_in(here_.orrery("replay small.orr")) == failure_);
    const auto report = nlohmann::json::parse(small.out);
    REQUIRE(report.at("stats").contains("after"));
    return report.at("stats").at("after").at("preemptions").get<int>();
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
  real.check_replays();
  fmt::print(
      "{:6} {:9} at try {:3}, replayed ten times; made small: {} preemptions, of which it needs "
      "{}\n",
      bug.program, real.failure(), real.tries(), real.made_small(), bug.preemptions);
  std::fflush(stdout);
}

}  // namespace

TEST_CASE("Bugs that fail on real cores fail in their replays, ten times of ten, and made small") {
  for (const Bug& bug : small_bugs) {
    CAPTURE(bug.program);
    RealBug real(bug);
    REQUIRE(real.fails_within(std::chrono::minutes(3)));
    real.check_replays();
    CHECK(real.made_small() <= bug.preemptions + 2);
  }
  for (const Bug& bug : fast_bugs) {
    CAPTURE(bug.program);
    RealBug real(bug);
    REQUIRE(real.fails_within(std::chrono::minutes(3)));
    real.check_replays();
  }
}

// Asked for by name alone: whoever runs this file's tests has not got an hour.
TEST_CASE("All bugs, each until it fails or for ten minutes", "[.bugs]") {
  if (std::getenv("ORRERY_CAMPAIGN_BUGS") == nullptr) return;
  for (const Bug& bug : small_bugs) try_bug(bug);
  for (const Bug& bug : fast_bugs) try_bug(bug);
  for (const Bug& bug : other_bugs) try_bug(bug);
}
