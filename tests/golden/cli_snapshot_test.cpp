// `explore --snapshot-at FUNCTION`: all runs go on from one instant of the first.
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

// A long beginning with draws of its own, a file, and then two threads that may lose a count.
constexpr const char* late_bug = R"(#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/random.h>
#include <thread>
namespace work {
unsigned key;
struct Loader {
  [[gnu::noinline]] void load(int rounds) {
    std::thread([&] { for (int i = 0; i < rounds; ++i) key = key * 31 + rand(); }).join();
    unsigned char drawn[64];
    if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn) abort();
    for (const unsigned char byte : drawn) key = key * 31 + byte;
    if (FILE* file = fopen("notes", "w")) fputs("loaded", file), fclose(file);
  }
};
[[gnu::noinline]] int search() {
  std::atomic<int> sum{0};
  const auto add = [&] { INCREMENT; };
  std::thread first(add), second(add);
  first.join(), second.join();
  return sum.load();
}
[[gnu::noinline]] void never() { puts("never"); }
}
int main(int count, char** arguments) {
  const bool is_bare = count > 1 && std::strcmp(arguments[1], "bare") == 0;
  if (!is_bare) work::Loader().load(1000);
  if (count > 1 && std::strcmp(arguments[1], "early") == 0) abort();
  if (count > 9) work::never();
  const int sum = work::search();
  char text[8] = "";
  if (FILE* file = fopen("notes", "r")) fgets(text, sizeof text, file), fclose(file);
  if (!is_bare && std::strcmp(text, "loaded") != 0) return 9;
  std::printf("%d %u\n", sum, work::key);
  if (sum != 2 && count > 1) std::abort();
  return sum == 2 ? 0 : 5;
}
)";

void build(const WorkingDirectory& here, const char* increment) {
  std::string source = late_bug;
  const std::string placeholder = "INCREMENT";
  source.replace(source.find(placeholder), placeholder.size(), increment);
  build_app(here, source, "-g -O1 -pthread", "cpp");
}

constexpr const char* loses = "const int seen = sum.load(); sum.store(seen + 1)";
constexpr const char* keeps = "sum.fetch_add(1)";

TEST_CASE("A search from a snapshot finds what comes after it, and its log is of the whole run") {
  const WorkingDirectory here;
  build(here, loses);
  const CommandResult found =
      here.orrery("explore --runs 300 --snapshot-at work::search -o w.orr --json ./app");
  INFO(found.out << found.err);
  REQUIRE(found.status == 1);
  const json object = json::parse(found.out);
  CHECK(object["findings"][0]["kind"] == "exit");
  CHECK(object["stats"]["snapshot_at"] == "work::search");
  // What was drawn before the snapshot is drawn so again.
  const CommandResult replayed = here.orrery("replay w.orr");
  INFO(replayed.err);
  CHECK(replayed.status == 1);
  CHECK(replayed.out == object["output"]);
  CHECK(here.orrery("shrink -o small.orr w.orr").status == 1);
}

TEST_CASE("A search from a snapshot sees every schedule that there is after it") {
  const WorkingDirectory here;
  build(here, keeps);
  const std::string words = "explore --strategy exhaustive --runs 5000 --json ";
  const json bare = json::parse(here.orrery(words + "./app bare").out);
  CHECK(bare["stats"]["complete"] == true);
  const CommandResult result = here.orrery(words + "--snapshot-at work::search ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
  const json from_there = json::parse(result.out);
  CHECK(from_there["stats"]["complete"] == true);
  CHECK(from_there["runs"] == bare["runs"]);
}

TEST_CASE("Reports from a snapshot do not depend on the number of workers") {
  const WorkingDirectory here;
  build(here, loses);
  const std::string words =
      "explore --runs 60 --keep-going --no-shrink --snapshot-at work::search ";
  const CommandResult one = here.orrery(words + "./app");
  CHECK(one.status == 1);
  CHECK(here.orrery(words + "--jobs 3 ./app").out == one.out);
}

TEST_CASE("Runs that die after the snapshot are findings, each in its own process") {
  const WorkingDirectory here;
  build(here, loses);
  const CommandResult result =
      here.orrery("explore --runs 40 --keep-going --json --snapshot-at work::search ./app late");
  INFO(result.out << result.err);
  CHECK(result.status == 1);
  const json object = json::parse(result.out);
  CHECK(object["runs"] == 40);
  CHECK(object["findings"].size() == 1);
  CHECK(object["stats"]["found_runs"][0]["runs"] > 1);
}

TEST_CASE("A run that dies before the snapshot is a finding too, and done once") {
  const WorkingDirectory here;
  build(here, keeps);
  const CommandResult result =
      here.orrery("explore --runs 40 --json --snapshot-at work::search ./app early");
  INFO(result.out << result.err);
  CHECK(result.status == 1);
  CHECK(json::parse(result.out)["runs"] == 1);
}

TEST_CASE("A snapshot that no run can have is the caller's mistake") {
  const WorkingDirectory here;
  build(here, keeps);
  const CommandResult missing = here.orrery("explore --snapshot-at work::serch ./app");
  CHECK(missing.status == 2);
  CHECK(has(missing.err, "the program has no function 'work::serch'"));
  const CommandResult never = here.orrery("explore --snapshot-at work::never ./app");
  CHECK(never.status == 2);
  CHECK(has(never.err, "nobody had called the function 'work::never'"));
  const CommandResult scenario = here.orrery("explore --snapshot-at f head_to_head_sends");
  CHECK(scenario.status == 2);
  CHECK(has(scenario.err, "is a built-in scenario"));
  const CommandResult twice =
      here.orrery("explore --snapshot-at work::search --check-determinism ./app");
  CHECK(twice.status == 2);
}

}  // namespace
