// Faults, as a user of the command meets them.
#include <array>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::has;
using orrery::test::WorkingDirectory;

void build(const WorkingDirectory& here, const std::string& program) {
  const auto built =
      here.orrery("cc -g -o " + program + " '" ORRERY_SOURCE_DIR "/scenarios/mpi/ignored_error/" +
                  program + ".c'");
  INFO(built.err);
  REQUIRE(built.status == 0);
}

TEST_CASE("a search says how often each fault could have struck and did") {
  const WorkingDirectory here;
  const auto search = here.orrery("explore --json --runs 300 --keep-going booked_twice:mended");
  REQUIRE(search.status == 0);
  const json stats = json::parse(search.out)["stats"];
  const json duplicate = stats["faults"]["duplicate"];
  CHECK(duplicate["possible"] == 900);  // three messages a run
  CHECK(duplicate["fired"] > 0);
  CHECK(duplicate["fired"] < 200);
  CHECK(stats["runs_without_fault"] > 0);
  CHECK(stats["runs_without_fault"] < 300);
  CHECK(stats["faults"].size() == 1);
}

TEST_CASE("a search in which no fault ever struck is no test of them") {
  const WorkingDirectory here;
  const auto search = here.orrery("explore --json --runs 50 --faults loss lost_update:mended");
  CHECK(search.status == 3);
  const json report = json::parse(search.out);
  CHECK(report["outcome"] == "limit");
  CHECK(report["stats"]["runs_without_fault"] == 50);
  CHECK(report["stats"]["faults"]["loss"]["possible"] == 0);
  CHECK(has(here.orrery("explore --runs 50 --faults loss lost_update:mended").out,
            "no fault ever struck"));
  CHECK(here.orrery("explore --runs 50 lost_update:mended").status == 0);
}

TEST_CASE("a bug that needs a fault is found, made small, saved with it and replayed") {
  const WorkingDirectory here;
  const auto search = here.orrery("explore --json --runs 5000 -o bug.orr early_reply");
  REQUIRE(search.status == 1);
  const json found = json::parse(search.out)["stats"]["found_runs"].at(0);
  CHECK(found["is_shrunk"] == true);
  CHECK(has(found["timeline"], "FAULT: this host crashes"));
  CHECK(has(found["timeline"], "bank (restarted)"));
  for (const std::string machine :
       {"", "--seed 7", "--platform constant:latency=3ms", "--platform myrinet-pcixd"}) {
    CAPTURE(machine);
    const auto replay = here.orrery("replay --json " + machine + " bug.orr");
    CHECK(replay.status == 1);
    const json report = json::parse(replay.out);
    CHECK(report["findings"].at(0)["message"] == "a confirmed deposit is lost");
    CHECK(report["stats"]["faults"]["crash"]["fired"] == 1);
  }
}

TEST_CASE("an MPI program does not see what its NIC sends again") {
  const WorkingDirectory here;
  build(here, "buggy");
  const auto search = here.orrery(
      "explore --json -n 2 --runs 200 --faults loss=0.3,corrupt=0.1,duplicate=0.1,"
      "delay=0.1,partition,link-down,nic-stall,sram-full ./buggy");
  INFO(search.out);
  CHECK(search.status == 0);
  const json faults = json::parse(search.out)["stats"]["faults"];
  for (const std::string kind : {"loss", "corrupt", "duplicate", "delay", "partition", "link-down",
                                 "nic-stall", "sram-full"}) {
    CAPTURE(kind);
    CHECK(faults[kind]["fired"] > 0);
  }
  const auto lossy = here.orrery("run --json -n 2 --faults loss=1,resend=7ms ./buggy");
  CHECK(lossy.status == 0);
  CHECK(json::parse(lossy.out)["virtual_time_ns"] > 14'000'000);  // both messages were sent twice
}

TEST_CASE("under unreliable a lost message is an error that MPI gives to the error handler") {
  const WorkingDirectory here;
  build(here, "buggy");
  build(here, "mended");
  const std::string faults = "-n 2 --runs 500 --faults loss=0.1,partition,unreliable ";
  const auto buggy = here.orrery("explore --json -o bug.orr " + faults + "./buggy");
  CHECK(buggy.status == 1);
  const json finding = json::parse(buggy.out)["findings"].at(0);
  CHECK(finding["kind"] == "assertion");
  CHECK(finding["where"].at(0)["line"] == 16);
  CHECK(here.orrery("replay bug.orr").status == 1);
  const auto mended = here.orrery("explore " + faults + "./mended");
  INFO(mended.out);
  CHECK(mended.status == 0);
}

TEST_CASE("a program that leaves errors to MPI ends with the connection, and says so") {
  const WorkingDirectory here;
  const auto built = here.orrery("cc -g -o ring '" ORRERY_SOURCE_DIR "/scenarios/mpi/ring/ring.c'");
  REQUIRE(built.status == 0);
  for (const std::string faults : {"loss=0.1,unreliable", "crash"}) {
    CAPTURE(faults);
    const auto search =
        here.orrery("explore --json -n 4 --runs 300 -o bug.orr --faults " + faults + " ./ring");
    CHECK(search.status == 1);
    const json finding = json::parse(search.out)["findings"].at(0);
    CHECK(finding["kind"] == "exit");
    CHECK(has(finding["message"], "is broken"));
    CHECK(has(here.orrery("show --timeline bug.orr").out, "FAULT: this "));
    CHECK(here.orrery("replay bug.orr").status == 1);
  }
}

struct BadFaults {
  const char* text;
  const char* said;
};
constexpr std::array<BadFaults, 12> bad_faults{{
    {"los", "did you mean 'loss'?"},
    {"loss=1.5", "is greater than 1"},
    {"loss=-0.1", "is not a probability"},
    {"loss=often", "is not a probability"},
    {"loss=0.0000000001", "is too fine"},
    {"loss=0.6,delay=0.6", "together greater than 1"},
    {"loss,loss=0.1", "is given twice"},
    {"loss:5ms", "does not last"},
    {"crash=0.5", "is not a whole number"},
    {"partition:10", "has no unit"},
    {"delay=0.1:0s", "is of no use"},
    {"loss,,crash", "there is no fault ''"},
}};

TEST_CASE("faults that nobody can have are refused, each with what to do") {
  const WorkingDirectory here;
  for (const auto& [text, said] : bad_faults) {
    CAPTURE(text);
    for (const std::string command : {"run", "explore"}) {
      const auto refused = here.orrery(command + " --faults " + text + " booked_twice");
      CHECK(refused.status == 2);
      CHECK(has(refused.err, "--faults"));
      CHECK(has(refused.err, said));
    }
  }
  CHECK(here.files().empty());
}

}  // namespace
