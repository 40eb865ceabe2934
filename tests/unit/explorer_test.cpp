#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <signal.h>
#include <unistd.h>

#include <orrery/explorers/catch2.hpp>
#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/junit.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "explored_programs.hpp"

using namespace std::chrono_literals;
using orrery::ExploreOptions;
using orrery::FindingKind;
using orrery::Report;

namespace {

ExploreOptions quick(std::uint64_t runs) {
  ExploreOptions options;
  options.name = "explorer test";
  options.runs = runs;
  options.save_logs = false;
  options.shrink = false;
  return options;
}

/// A directory of its own that goes with the test.
class Directory {
 public:
  Directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void check_same(const Report& a, const Report& b) {
  CHECK(a.runs == b.runs);
  CHECK(a.steps == b.steps);
  CHECK(a.distinct_schedules == b.distinct_schedules);
  REQUIRE(a.findings.size() == b.findings.size());
  for (std::size_t i = 0; i < a.findings.size(); ++i) {
    CHECK(a.findings[i].finding.is_same_as(b.findings[i].finding));
    CHECK(a.findings[i].count == b.findings[i].count);
    CHECK(a.findings[i].run_index == b.findings[i].run_index);
    CHECK(a.findings[i].schedule == b.findings[i].schedule);
  }
  CHECK(text(a) == text(b));
}

}  // namespace

TEST_CASE("a search finds a lost update and leaves its mended twin alone") {
  const Report bug = orrery::explore(quick(1000), programs::lost_update);
  CHECK_THAT(bug, orrery::FindsA(FindingKind::assertion));
  CHECK(bug.exit_status() == 1);
  const Report mended = orrery::explore(quick(1000), programs::mended_update);
  CHECK_THAT(mended, orrery::NoFindings());
  CHECK(mended.runs == 1000);
  CHECK(mended.distinct_schedules > 10);
}

TEST_CASE("the planted rare bug is found within 60,000 random runs") {
  CHECK_THAT(orrery::explore(quick(60'000), programs::rare_bug),
             orrery::FindsA(FindingKind::assertion));
}

TEST_CASE("the report is the same whatever the number of jobs") {
  for (const bool keep_going : {false, true}) {
    ExploreOptions one = quick(2000);
    one.keep_going = keep_going;
    one.seed = 11;
    ExploreOptions three = one;
    three.jobs = 3;
    check_same(orrery::explore(one, programs::rare_bug),
               orrery::explore(three, programs::rare_bug));
    check_same(orrery::explore(one, programs::crossed_locks),
               orrery::explore(three, programs::crossed_locks));
  }
}

TEST_CASE("in this process and in a worker the report is the same") {
  ExploreOptions here = quick(500);
  here.isolate = false;
  check_same(orrery::explore(here, programs::lost_update),
             orrery::explore(quick(500), programs::lost_update));
}

TEST_CASE("a search that keeps going folds what it finds and counts it") {
  ExploreOptions options = quick(400);
  options.keep_going = true;
  const Report report = orrery::explore(options, programs::lost_update);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.runs == 400);
  CHECK(report.findings[0].count > 1);
  CHECK(report.findings[0].count < 400);
}

TEST_CASE("a run that dies is a finding, and the search goes on") {
  ExploreOptions options = quick(60);
  options.keep_going = true;
  const Report crash = orrery::explore(options, programs::crashes);
  REQUIRE(crash.findings.size() == 1);
  CHECK(crash.findings[0].finding.kind == FindingKind::crash);
  CHECK(crash.findings[0].finding.message.find("SIGSEGV") != std::string::npos);
  CHECK(!crash.findings[0].schedule.entries.empty());
  REQUIRE(!crash.findings[0].finding.where.empty());
  CHECK(crash.findings[0].finding.where[0].file.find("explored_programs.hpp") != std::string::npos);
  CHECK(crash.findings[0].finding.where[0].task == "user");
  CHECK(crash.findings[0].timeline.find("user") != std::string::npos);
  CHECK(crash.findings[0].count < 60);
  CHECK(crash.runs == 60);

  const Report exit = orrery::explore(options, programs::exits);
  REQUIRE(exit.findings.size() == 1);
  CHECK(exit.findings[0].finding.kind == FindingKind::exit);
  CHECK(exit.findings[0].finding.message.find("status 7") != std::string::npos);
  CHECK(exit.runs == 60);
}

TEST_CASE("exhaustive search survives runs that die") {
  ExploreOptions options = quick(10'000);
  options.strategy = "exhaustive";
  options.keep_going = true;
  const Report report = orrery::explore(options, programs::crashes);
  CHECK(report.complete);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].count > 1);
  CHECK(report.findings[0].count < report.runs);
}

TEST_CASE("a run that never comes back is stopped by the clock on the wall") {
  ExploreOptions options = quick(1);
  options.simulation.wall_limit = 50ms;
  const Report report = orrery::explore(options, [](orrery::World&) {
    for (volatile bool goes_on = true; goes_on;) {
    }
  });
  REQUIRE(report.limits.size() == 1);
  CHECK(report.limits[0].limit == orrery::Limit::wall_time);
  CHECK(report.exit_status() == 3);
}

TEST_CASE("runs at the step limit are no findings, and no clean search either") {
  ExploreOptions options = quick(5);
  options.simulation.step_limit = 4;
  const Report report = orrery::explore(options, programs::mended_update);
  REQUIRE(report.limits.size() == 1);
  CHECK(report.limits[0].limit == orrery::Limit::steps);
  CHECK(report.limits[0].count == 5);
  CHECK(report.exit_status() == 3);
}

TEST_CASE("a program that depends on more than its choices is caught") {
  ExploreOptions options = quick(3);
  options.check_determinism = true;
  int calls = 0;
  const auto program = [&calls](orrery::World& world) {
    orrery::Shared<int> value(world, 0, "value");
    value.store(7);
    value.store(++calls);
  };
  const Report report = orrery::explore(options, program);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].finding.kind == FindingKind::divergence);
  CHECK(report.findings[0].finding.message.find("value") != std::string::npos);
  CHECK_THAT(orrery::explore(options, programs::mended_update), orrery::NoFindings());
}

TEST_CASE("a search for a time ends by itself") {
  ExploreOptions options = quick(1);
  options.for_duration = 100ms;
  const Report report = orrery::explore(options, programs::mended_update);
  CHECK(report.runs > 1);
  CHECK_THAT(report, orrery::NoFindings());
}

TEST_CASE("workers that are replaced after some runs give the same report") {
  ExploreOptions options = quick(300);
  options.keep_going = true;
  ExploreOptions replaced = options;
  replaced.runs_per_worker = 7;
  check_same(orrery::explore(options, programs::lost_update),
             orrery::explore(replaced, programs::lost_update));
}

TEST_CASE("a search that goes on gives the report of an unbroken one") {
  const Directory directory;
  for (const char* strategy : {"random", "exhaustive"}) {
    ExploreOptions options = quick(60);
    options.strategy = strategy;
    options.keep_going = true;
    const Report unbroken = orrery::explore(options, programs::crossed_locks);
    options.save_path = directory.file(std::string(strategy) + ".orr");
    options.resume = true;
    options.runs = 25;
    CHECK(orrery::explore(options, programs::crossed_locks).runs == 25);
    options.runs = 60;
    check_same(unbroken, orrery::explore(options, programs::crossed_locks));
  }
}

TEST_CASE("Ctrl-C stops a search with what it has, and it goes on later") {
  const Directory directory;
  ExploreOptions options = quick(3000);
  options.keep_going = options.save_logs = true;
  options.save_path = directory.file("bug.orr");
  const pid_t parent = getpid();
  // Once: what is done with a finding afterwards runs the program too, and Ctrl-C ends it then.
  const std::string is_done = directory.file("interrupted");
  bool interrupts = false;
  // One program for all three: the stack of its finding is in their reports.
  const auto program = [&](orrery::World& world) {
    if (interrupts && getpid() != parent && access(is_done.c_str(), F_OK) != 0) {
      std::ofstream{is_done};
      kill(parent, SIGINT);
    }
    if (interrupts) usleep(1000);
    programs::lost_update(world);
  };
  const Report unbroken = orrery::explore(options, program);
  interrupts = true;
  const Report stopped = orrery::explore(options, program);
  interrupts = false;
  CHECK(stopped.interrupted);
  CHECK(stopped.runs > 0);
  CHECK(stopped.runs < 3000);
  options.resume = true;
  check_same(unbroken, orrery::explore(options, program));
}

TEST_CASE("a worker that grows is replaced, and the report does not show it") {
  ExploreOptions options = quick(600);
  options.worker_growth_bytes = std::uint64_t{4} << 20U;
  std::vector<std::vector<char>> kept;
  const auto leaking = [&kept](orrery::World& world) {
    kept.emplace_back(65536, 'x');
    world.check(kept.size() < 500, "the worker was never replaced");
  };
  CHECK_THAT(orrery::explore(options, leaking), orrery::NoFindings());
}

TEST_CASE("the file of another search, or a damaged one, is refused") {
  const Directory directory;
  ExploreOptions options = quick(20);
  options.save_path = directory.file("bug.orr");
  options.resume = true;
  CHECK_THAT(orrery::explore(options, programs::mended_update), orrery::NoFindings());
  ExploreOptions other = options;
  other.seed = 5;
  CHECK_THROWS_WITH(orrery::explore(other, programs::mended_update), Catch::Contains("seed is 5"));
  {
    std::fstream file(options.save_path + ".search", std::ios::in | std::ios::out);
    file.seekp(-1, std::ios::end);
    file.put('?');
  }
  CHECK_THROWS_WITH(orrery::explore(options, programs::mended_update), Catch::Contains("damaged"));
  std::ofstream(options.save_path + ".search") << "something else";
  CHECK_THROWS_AS(orrery::explore(options, programs::mended_update), orrery::UsageError);
}

TEST_CASE("a finding is shrunk, saved and replayed by its log") {
  const Directory directory;
  ExploreOptions options = quick(1000);
  options.shrink = options.save_logs = true;
  options.save_path = directory.file("bug.orr");
  const Report report = orrery::explore(options, programs::lost_update);
  REQUIRE(report.findings.size() == 1);
  const orrery::FoundRun& found = report.findings[0];
  CHECK(found.cost_after.preemptions == 1);
  CHECK(found.cost_after <= found.cost_before);
  CHECK(std::filesystem::exists(options.save_path));
  CHECK(found.replay_command.starts_with("ORRERY_REPLAY=" + options.save_path));
  CHECK(!found.timeline.empty());

  setenv("ORRERY_REPLAY", options.save_path.c_str(), 1);
  const Report again = orrery::explore(options, programs::lost_update);
  ExploreOptions other = options;
  other.name = "another search";
  const Report skipped = orrery::explore(other, programs::lost_update);
  unsetenv("ORRERY_REPLAY");
  REQUIRE(again.findings.size() == 1);
  CHECK(again.runs == 1);
  CHECK(again.findings[0].finding.is_same_as(found.finding));
  CHECK(again.findings[0].schedule == found.best());
  CHECK(skipped.runs == 0);
  CHECK(skipped.findings.empty());

  options.strategy = "replay:file=" + options.save_path;
  options.save_path = directory.file("again.orr");
  const Report by_strategy = orrery::explore(options, programs::lost_update);
  REQUIRE(by_strategy.findings.size() == 1);
  CHECK(by_strategy.runs == 1);
  CHECK(by_strategy.findings[0].schedule == found.best());
}

TEST_CASE("the caller's mistakes are named") {
  CHECK_THROWS_AS(orrery::explore(quick(0), programs::lost_update), orrery::UsageError);
  ExploreOptions options = quick(1);
  options.jobs = 0;
  CHECK_THROWS_AS(orrery::explore(options, programs::lost_update), orrery::UsageError);
  options = quick(1);
  options.strategy = "randon";
  CHECK_THROWS_WITH(orrery::explore(options, programs::lost_update), Catch::Contains("'random'"));
  options = quick(1);
  options.save_logs = true;
  options.save_path = "/no/such/directory/bug.orr";
  CHECK_THROWS_AS(orrery::explore(options, programs::lost_update), orrery::UsageError);
  options = quick(1);
  options.simulation.step_limit = 0;
  CHECK_THROWS_AS(orrery::explore(options, programs::lost_update), orrery::UsageError);
}

TEST_CASE("JUnit's XML has a case for each finding and survives any text") {
  Report report = orrery::explore(quick(1000), programs::lost_update);
  REQUIRE(report.findings.size() == 1);
  report.findings[0].finding.message = "a < b && \"c\"\x01";
  report.name =
      "pr\xc3\xbc"
      "fung \xff";
  const std::string xml = orrery::junit_xml(report);
  CHECK(xml.find("failures=\"1\"") != std::string::npos);
  CHECK(xml.find("a &lt; b &amp;&amp; &quot;c&quot;?") != std::string::npos);
  CHECK(xml.find("pr\xc3\xbc"
                 "fung ?") != std::string::npos);
  const std::string clean = orrery::junit_xml(orrery::explore(quick(3), programs::mended_update));
  CHECK(clean.find("tests=\"1\" failures=\"0\" errors=\"0\"") != std::string::npos);
}
