// `orrery show` of what real threads were recorded as doing: it is the run that `replay` shows.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

void check_shown(const WorkingDirectory& here, const std::string& log) {
  CAPTURE(log);
  const CommandResult timeline = here.orrery("show --timeline " + log);
  INFO(timeline.out << timeline.err);
  CHECK(timeline.status == 0);
  CHECK(has(timeline.out, "app.cpp:16  main: failed here"));
  CHECK_FALSE(has(timeline.out, "divergence"));
  const CommandResult page = here.orrery("show --json --graph page.html " + log);
  CHECK(page.status == 0);
  CHECK_FALSE(has(page.out, "divergence"));
  const CommandResult table = here.orrery("show --export csv " + log);
  CHECK(table.status == 0);
  CHECK(has(table.out, "mutex_unlock"));
}

}  // namespace

TEST_CASE("A recording of real threads is shown as it is replayed") {
  const WorkingDirectory here;
  build_hooked(here, R"(#include <cassert>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
std::mutex lock;
std::vector<std::string> names;
void add(int me) {
  for (int i = 0; i < 20; ++i) {
    const std::lock_guard held(lock);
    names.push_back(std::string(getenv("NAME")) + std::to_string(me * 20 + i));
  }
}
void check() {
  assert(names.size() == 41);
}
int main() {
  std::thread first(add, 0), second(add, 1);
  first.join();
  second.join();
  check();
}
)");
  for (const char* const method : {"stride", "leap", "lamport-order"}) {
    CAPTURE(method);
    const CommandResult real =
        here.shell(std::string("NAME=a_name_of_many_letters '" ORRERY_BINARY "' record --method ") +
                   method + " -o run.orr ./app");
    REQUIRE(real.status == 1);
    check_shown(here, "run.orr");
    REQUIRE(here.orrery("replay --quiet --record steps.orr run.orr").status == 1);
    check_shown(here, "steps.orr");
  }
}

TEST_CASE("A log that the program parts from is shown as such, with status 1") {
  const WorkingDirectory here;
  build_hooked(here, R"(#include <cstdio>
#include <cstdlib>
#include <thread>
int main(int, char** argv) {
  std::FILE* const file = std::fopen(argv[1], "r");
  const int count = std::fgetc(file) - '0';
  for (int i = 0; i < count; ++i) std::thread([] {}).join();
}
)");
  here.write("count", "3");
  REQUIRE(here.orrery("run --input none --record run.orr ./app count").status == 0);
  CHECK(here.orrery("show --timeline run.orr").status == 0);
  here.write("count", "5");
  const CommandResult shown = here.orrery("show --timeline run.orr");
  INFO(shown.out << shown.err);
  CHECK(shown.status == 1);
  CHECK(has(shown.out, "divergence"));
}

TEST_CASE("The timeline of a run that dies names its threads") {
  const WorkingDirectory here;
  build_hooked(here, R"(#include <thread>
volatile int count;
int* nowhere;
void add() {
  for (int i = 0; i < 20; ++i) count = count + 1;
}
int main() {
  std::thread first(add), second(add);
  first.join();
  second.join();
  if (count != 40) *nowhere = count;
}
)");
  const CommandResult found = here.orrery("explore --preempt shared --runs 200 -o app.orr ./app");
  INFO(found.out);
  REQUIRE(found.status == 1);
  CHECK(has(found.out, ">> "));
  CHECK_FALSE(has(found.out, "{}"));
}
