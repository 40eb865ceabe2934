// Signals that a program sends itself, and what it does about its own faults.
#include <filesystem>
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

void build(const WorkingDirectory& here, const std::string& source) {
  build_app(here, source, "-g -w -pthread");
}

json finding_of(const WorkingDirectory& here) {
  const CommandResult result = here.orrery("run --json ./app");
  INFO(result.out << result.err);
  REQUIRE(result.status == 1);
  return json::parse(result.out).at("findings").at(0);
}

TEST_CASE("Handlers, masks, sigwait, timers and faults with a handler of the program's own work") {
  const auto source = std::filesystem::path(ORRERY_SOURCE_DIR) / "tests/golden/signals.c";
  const WorkingDirectory here;
  REQUIRE(here.orrery("cc -g -w -pthread -o app '" + source.string() + "'").status == 0);
  CHECK(here.orrery("run ./app").out == "ok\n");
  const CommandResult result = here.orrery("explore --runs 200 --window 0ns ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
}

TEST_CASE(
    "A signal that nobody handles ends the run, as does one that is handled by raising again") {
  const WorkingDirectory here;
  build(here, R"(#include <signal.h>
int main(void) {
  raise(SIGTERM);
  return 0;
}
)");
  json finding = finding_of(here);
  CHECK(finding["kind"] == "crash");
  CHECK(has(finding["message"], "killed by SIGTERM (Terminated), which it sent itself"));
  CHECK(finding["where"][0]["line"] == 3);

  build(here, R"(#include <signal.h>
#include <stdio.h>
static void say(int number) {
  puts("oh");
  signal(number, SIG_DFL);
}
int main(void) {
  signal(SIGSEGV, say);
  *(volatile int *)0 = 1;
  return 0;
}
)");
  finding = finding_of(here);
  CHECK(finding["kind"] == "crash");
  CHECK(has(finding["message"], "SIGSEGV"));
  CHECK(finding["where"][0]["line"] == 9);
  CHECK(here.orrery("run ./app").out == "oh\n");
}

TEST_CASE("A handler of SIGABRT runs before the program is given up") {
  const WorkingDirectory here;
  build(here, R"(#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static void say(int number) { puts("aborting"); }
int main(void) {
  signal(SIGABRT, say);
  abort();
}
)");
  CHECK(finding_of(here)["kind"] == "crash");
  CHECK(here.orrery("run ./app").out == "aborting\n");
}

TEST_CASE("An exception that nobody catches shows who called whom when it was thrown") {
  const WorkingDirectory here;
  here.write("app.cpp", R"(#include <stdexcept>
#include <thread>
__attribute__((noinline)) void fail(int value) {
  if (value == 3) throw std::runtime_error("no three");
}
__attribute__((noinline)) void work(int value) {
  fail(value);
  asm volatile("");
}
int main() {
  std::thread other([] { work(3); });
  other.join();
}
)");
  REQUIRE(here.orrery("c++ -g -O1 -pthread -o app app.cpp").status == 0);
  const json finding = finding_of(here);
  INFO(finding.dump(1));
  CHECK(finding["kind"] == "exception");
  CHECK(finding["message"] == "uncaught exception: no three (std::runtime_error)");
  const json& place = finding["where"][0];
  CHECK(place["line"] == 4);
  CHECK(place["function"] == "fail");
  REQUIRE(place["stack"].size() >= 3);
  CHECK(place["stack"][1]["function"] == "work");
  CHECK(place["stack"][1]["line"] == 7);
  CHECK(place["stack"][2]["line"] == 11);
}

TEST_CASE("A thread that is neither joined nor detached ends the program as it does natively") {
  const WorkingDirectory here;
  here.write("app.cpp", R"(#include <thread>
int main() {
  std::thread other([] {});
}
)");
  REQUIRE(here.orrery("c++ -g -pthread -o app app.cpp").status == 0);
  const json finding = finding_of(here);
  CHECK(finding["kind"] == "crash");
  CHECK(finding["message"] ==
        "std::terminate() was called: by the program itself, or since a std::thread that nobody "
        "had joined was destroyed");
  CHECK(finding["where"][0]["line"] == 4);
}

}  // namespace
