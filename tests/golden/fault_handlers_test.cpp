// Programs that handle their own faults: in several threads at once, each on a stack of its own.
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

void build(const WorkingDirectory& here) {
  const auto source = std::filesystem::path(ORRERY_SOURCE_DIR) / "tests/golden/faults.c";
  REQUIRE(here.orrery("cc -g -w -pthread -o app '" + source.string() + "'").status == 0);
}

}  // namespace

TEST_CASE("Threads recover from faults of their own while others do, on the stacks they want") {
  const WorkingDirectory here;
  build(here);
  REQUIRE(here.shell("./app > wanted").status == 0);
  const CommandResult result = here.orrery("explore --runs 50 --expect-output wanted ./app");
  INFO(result.out << result.err);
  CHECK(result.status == 0);
  CHECK(here.orrery("run --preempt all ./app").out == here.read("wanted"));
}

TEST_CASE("What recovered from faults on real cores does so in a replay") {
  const WorkingDirectory here;
  build(here);
  for (const char* const method :
       {"leap", "stride", "global-writes", "lamport-order", "instant-replay"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --method {} -o run.orr ./app without-overflows", method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    const CommandResult again = here.orrery("replay --seed 7 run.orr");
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == real.out);
  }
}

TEST_CASE(
    "A signal that a handler was left for by a long jump comes again, and a fault within is one") {
  const WorkingDirectory here;
  build_app(here, R"(#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf back;
static int handled;
static void leave(int number) {
  ++handled;
  siglongjmp(back, number);
}
static void fault(int number) {
  (void)number;
  *(volatile int *)16 = 1;
}
int main(int count, char **words) {
  (void)words;
  signal(SIGUSR1, leave);
  signal(SIGFPE, leave);
  volatile int zero = 0;
  for (int i = 0; i < 3; ++i) {
    if (sigsetjmp(back, 1) == 0) raise(SIGUSR1);
    if (sigsetjmp(back, 1) == 0) zero = 7 / zero;
  }
  printf("%d\n", handled);
  if (count == 1) return 0;
  signal(SIGSEGV, fault);
  *(volatile int *)8 = 1;
}
)",
            "-g -w");
  REQUIRE(here.shell("./app").out == "6\n");
  CHECK(here.orrery("run ./app").out == "6\n");
  const CommandResult run = here.orrery("run --json ./app twice");
  INFO(run.out << run.err);
  REQUIRE(run.status == 1);
  const auto finding = nlohmann::json::parse(run.out).at("findings").at(0);
  CHECK(finding["where"][0]["line"] == 12);
  CHECK(finding["where"][0]["stack"].size() == 2);
}

TEST_CASE("A handler ends the program from a small stack, of which nothing is overrun") {
  const WorkingDirectory here;
  build_app(here, R"(#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
static void leave(int number) {
  exit(number);
}
int main(void) {
  char *room = mmap(NULL, 32768, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(room, 16384, PROT_NONE);
  stack_t stack = {.ss_sp = room + 16384, .ss_size = 16384};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_flags = SA_ONSTACK};
  action.sa_handler = leave;
  sigaction(SIGSEGV, &action, NULL);
  *(volatile int *)8 = 1;
}
)",
            "-g -w");
  const CommandResult run = here.orrery("run --json ./app");
  INFO(run.out << run.err);
  REQUIRE(run.status == 1);
  const auto finding = nlohmann::json::parse(run.out).at("findings").at(0);
  CHECK(finding["message"] == "the program exits with status 11");
  CHECK(finding["where"][0]["line"] == 5);
  CHECK(finding["where"][0]["stack"].back()["line"] == 15);
}
