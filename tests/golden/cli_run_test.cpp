// `orrery run`, `replay`, `show` and `list`, as a user meets them.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

TEST_CASE("The JSON object of a clean run has every field of the contract, in its order") {
  const WorkingDirectory here;
  const CommandResult result = here.orrery("run --json --seed 7 wildcard_race:mended");
  CHECK(result.status == 0);
  CHECK(result.err.empty());
  const auto object = nlohmann::ordered_json::parse(result.out);
  std::string fields;
  for (const auto& [key, value] : object.items()) fields += key + " ";
  CHECK(fields ==
        "orrery command program seed runs steps virtual_time_ns outcome output findings stats ");
  CHECK(object["orrery"] == 1);
  CHECK(object["command"] == "run");
  CHECK(object["program"] == "wildcard_race:mended");
  CHECK(object["seed"] == 7);
  CHECK(object["outcome"] == "clean");
  CHECK(object["findings"].empty());
}

TEST_CASE("A found bug is saved, and replays the same under other seeds, windows and networks") {
  const WorkingDirectory here;
  const CommandResult search = here.orrery("explore -o bug.orr wildcard_race");
  INFO(search.out << search.err);
  REQUIRE(search.status == 1);
  CHECK(has(search.out, "scenarios/wildcard_race/scenario.cpp:"));
  CHECK(has(search.out, "saved: bug.orr"));
  CHECK(has(search.out, "replay it: orrery replay bug.orr"));

  const CommandResult first = here.orrery("replay --timeline bug.orr");
  INFO(first.out << first.err);
  CHECK(first.status == 1);
  CHECK(here.orrery("replay --timeline bug.orr").err == first.err);
  const json plain = json::parse(here.orrery("replay --json bug.orr").out);
  for (const std::string other :
       {"--seed 99", "--window 1us", "--window inf", "--platform constant:latency=3ms"}) {
    INFO(other);
    const CommandResult again = here.orrery("replay --json " + other + " bug.orr");
    CHECK(again.status == 1);
    const json object = json::parse(again.out);
    CHECK(object["findings"] == plain["findings"]);
    CHECK(object["steps"] == plain["steps"]);
  }
}

TEST_CASE("The same search prints the same bytes, whatever the number of workers") {
  const WorkingDirectory here;
  const CommandResult one = here.orrery("explore -o a.orr --runs 200 lost_update");
  const std::string log = here.read("a.orr");
  const CommandResult two = here.orrery("explore -o a.orr --runs 200 --jobs 2 lost_update");
  CHECK(one.status == 1);
  CHECK(one.out == two.out);
  CHECK(log == here.read("a.orr"));
}

TEST_CASE("A mended twin comes out clean, and a spent budget is no finding") {
  const WorkingDirectory here;
  const CommandResult result = here.orrery("explore --runs 50 lost_update:mended");
  CHECK(result.status == 0);
  CHECK(has(result.out, "50 runs"));
  CHECK(has(result.out, "no finding"));
  CHECK(here.files().empty());
}

TEST_CASE("A run that hits a limit ends with status 3 and says which") {
  const WorkingDirectory here;
  const CommandResult result = here.orrery("run --step-limit 3 dining_philosophers:mended");
  CHECK(result.status == 3);
  CHECK(has(result.err, "--step-limit"));
  const json object =
      json::parse(here.orrery("run --json --step-limit 3 dining_philosophers:mended").out);
  CHECK(object["outcome"] == "limit");
}

TEST_CASE("A run goes until a date, or step by step as commands say") {
  const WorkingDirectory here;
  const CommandResult until = here.orrery("run --until 1ps wildcard_race:mended");
  CHECK(until.status == 3);
  CHECK(has(until.err, "stopped before its end"));

  const CommandResult steps =
      here.orrery("run --step wildcard_race:mended", "step 3\nwhere\nstpe\ncontinue\n");
  INFO(steps.err);
  CHECK(steps.status == 0);
  // Before the first step and the first question too: the tasks and what each is about to do.
  CHECK(has(steps.err.substr(0, steps.err.find("orrery>")),
            "root             can go on  task_start"));
  CHECK(has(steps.err, "root             waits      join rank 0  scenarios/"));
  CHECK(has(steps.err, "after step 3"));
  CHECK(has(steps.err, "did you mean 'step'?"));
  const CommandResult left = here.orrery("run --step wildcard_race:mended", "step\nquit\n");
  CHECK(left.status == 3);
}

TEST_CASE("A finding is made small, and the small log is shown with its timeline") {
  const WorkingDirectory here;
  REQUIRE(here.orrery("explore --no-shrink -o bug.orr lost_update").status == 1);
  const CommandResult small = here.orrery("shrink bug.orr -o small.orr");
  INFO(small.out << small.err);
  CHECK(small.status == 1);
  CHECK(has(small.out, "after:  1 preemption"));
  const CommandResult shown = here.orrery("show --timeline small.orr");
  CHECK(shown.status == 0);
  CHECK(has(shown.out, "assertion: a deposit is lost"));
  CHECK(has(shown.out, "Alice"));
  CHECK(here.orrery("replay small.orr").status == 1);
}

TEST_CASE("Every list has its entries, and --help and --version answer") {
  const WorkingDirectory here;
  CHECK(has(here.orrery("list scenarios").out, "lost_update"));
  CHECK(has(here.orrery("list strategies").out, "pct"));
  CHECK(has(here.orrery("list networks").out, "constant"));
  CHECK(has(here.orrery("list recorders").out, "choices"));
  CHECK(has(here.orrery("list detectors").out, "fasttrack"));
  CHECK(has(here.orrery("--help").out, "orrery explore"));
  CHECK(has(here.orrery("explore --help").out, "--strategy"));
  CHECK(has(here.orrery("--version").out, "orrery 0."));
}

TEST_CASE("Each recorder's options are told apart: of simulated runs, and of those on real cores") {
  const WorkingDirectory here;
  const CommandResult text = here.orrery("list recorders");
  CHECK(has(text.out, "lag=0, slots=1310720\n"));
  CHECK(has(text.out, "on real cores: group=variable|block:BYTES|site|allocation, protected=FILE"));
  const json list = json::parse(here.orrery("list recorders --json").out);
  // What is listed is what is taken, and nothing else.
  for (const json& one : list["stats"]["recorders"]) {
    const std::string name = one["name"];
    const CommandResult bare = here.orrery("record -o run.orr --method " + name + " ./nowhere");
    CAPTURE(name, bare.err);
    CHECK(has(bare.err, "is for simulated runs") != one.contains("options_on_real_cores"));
    if (!one.contains("options_on_real_cores")) continue;
    for (const char* const option :
         {"group=site", "lag=1", "slots=9", "objects=yes", "protected=x"}) {
      const std::string key = std::string(option).substr(0, std::string(option).find('='));
      const std::string method = name + ":" + option;
      CAPTURE(method);
      const auto is_taken = [&](const std::string& command, const char* where) {
        const bool is_listed = has(one[where].get<std::string>(), key + "=");
        const std::string said = here.orrery(command).err;
        const bool is_refused = has(said, "has no option") || has(said, "is for runs");
        return is_listed != is_refused;
      };
      CHECK(
          is_taken("record -o run.orr --method " + method + " ./nowhere", "options_on_real_cores"));
      CHECK(is_taken("run --record run.orr --method " + method + " ./nowhere", "options"));
    }
  }
}

TEST_CASE("Output that cannot be written is an error, not silence") {
  const WorkingDirectory here;
  const CommandResult result = here.shell("'" ORRERY_BINARY "' list scenarios >/dev/full");
  CHECK(result.status == 2);
  CHECK(has(result.err, "standard output"));
}

}  // namespace
