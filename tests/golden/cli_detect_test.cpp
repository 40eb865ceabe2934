// `--detect`, as a user meets it.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

TEST_CASE("A race is found in the first run, and its log replays and shrinks without the flag") {
  const WorkingDirectory here;
  const CommandResult search = here.orrery("explore --detect fasttrack -o race.orr lost_update");
  INFO(search.out << search.err);
  CHECK(search.status == 1);
  CHECK(has(search.out, "lost_update: 1 run under random"));
  CHECK(has(search.out,
            "data_race: nothing orders two accesses to variable balance\n"
            "  Bob reads here\n"
            "    at scenarios/lost_update/scenario.cpp:12"));
  CHECK(has(search.out,
            "  Alice wrote here before\n"
            "    at scenarios/lost_update/scenario.cpp:13"));
  const CommandResult again = here.orrery("replay race.orr");
  CHECK(again.status == 1);
  CHECK(has(again.err + again.out, "nothing orders two accesses to variable balance"));
  CHECK_FALSE(has(again.err + again.out, "did not come up again"));
  CHECK(here.orrery("shrink race.orr").status == 1);
}

TEST_CASE("The JSON object of a search with a detector names both places of a race") {
  const WorkingDirectory here;
  const std::string command = "explore --json --detect fasttrack lost_update";
  const CommandResult result = here.orrery(command);
  REQUIRE(result.status == 1);
  CHECK(result.out == here.orrery(command).out);
  const json finding = json::parse(result.out)["findings"][0];
  CHECK(finding["kind"] == "data_race");
  CHECK(finding["message"] == "nothing orders two accesses to variable balance");
  const json places = json::parse(R"json([
    {"file": "scenarios/lost_update/scenario.cpp", "line": 12, "function": "operator()",
     "task": "Bob", "role": "reads here"
},
    {"file": "scenarios/lost_update/scenario.cpp", "line": 13, "function": "operator()",
     "task": "Alice", "role": "wrote here before"}])json");
  json lines = finding["where"];
  for (json& place : lines) {
    CHECK(place["locks"].empty());
    place.erase("locks");
  }
  CHECK(lines == places);
  CHECK(finding["confirmed"] == true);
  CHECK(finding["notes"].size() == 2);
}

TEST_CASE("A single run and a replay take a detector, and a program without races stays clean") {
  const WorkingDirectory here;
  const CommandResult racy = here.orrery("run --detect fasttrack --record run.orr lost_update");
  CHECK(racy.status == 1);
  CHECK(has(racy.err, "data_race: nothing orders two accesses to variable balance"));
  CHECK(here.orrery("replay --detect fasttrack run.orr").status == 1);
  CHECK(here.orrery("run --detect fasttrack lost_update:mended").status == 0);
  const CommandResult clean =
      here.orrery("explore --detect fasttrack --jobs 2 --runs 200 lost_update:mended");
  INFO(clean.out << clean.err);
  CHECK(clean.status == 0);
}

TEST_CASE("The list of detectors says what each of them finds") {
  const WorkingDirectory here;
  CHECK(has(here.orrery("list detectors").out, "fasttrack        data races"));
  const json list = json::parse(here.orrery("list --json detectors").out);
  CHECK(list["stats"]["detectors"][0]["name"] == "fasttrack");
}

}  // namespace

namespace {

// Three threads count under the lock, or one of them without it.  (Main comes first, since of who
// comes first no lock is asked.)
const std::string counting = R"(#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void *careful(void *unused) {
  pthread_mutex_lock(&lock);
  ++total;
  pthread_mutex_unlock(&lock);
  return unused;
}
static void *hasty(void *unused) {
#ifdef MENDED
  return careful(unused);
#else
  ++total;
  return unused;
#endif
}
int main(void) {
  pthread_t one, other;
  careful(NULL);
  pthread_create(&one, NULL, careful, NULL);
  pthread_create(&other, NULL, hasty, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  pthread_mutex_lock(&lock);
  printf("%ld\n", total);
  pthread_mutex_unlock(&lock);
  return 0;
}
)";

}  // namespace

TEST_CASE("eraser looks on as a program runs, is searched, is replayed, or was recorded for real") {
  const WorkingDirectory here;
  for (const bool is_mended : {false, true}) {
    CAPTURE(is_mended);
    build_app(here, counting, is_mended ? "-g -O1 -pthread -DMENDED" : "-g -O1 -pthread");
    const auto check = [&](const std::string& words) {
      const CommandResult result = here.orrery(words);
      const std::string told = result.out + result.err;
      CAPTURE(words, told);
      CHECK(result.status == (is_mended ? 0 : 1));
      CHECK(has(told, "data_race (locking discipline)") != is_mended);
      CHECK(has(told, "no lock is held at every access to total (8 bytes)") != is_mended);
      CHECK(has(told, "app.c:15 in hasty") != is_mended);
      CHECK(has(told, "app.c:7 in careful") != is_mended);
    };
    check("run --detect eraser ./app");
    check("explore --detect eraser --runs 20 -o found.orr ./app");
    REQUIRE(here.orrery("run --record run.orr ./app").status == 0);
    check("replay --detect eraser run.orr");
    REQUIRE(here.orrery("record --quiet --method stride -o real.orr ./app").status == 0);
    check("replay --detect eraser real.orr");
  }
}
