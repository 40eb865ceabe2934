// Runs of threads with hundreds of preemptions, made small.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

using nlohmann::json;
using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

TEST_CASE("A run of shared accesses and timed waits is made small, whatever its many preemptions") {
  const WorkingDirectory here;
  build_hooked(here, R"(#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
std::mutex lock;
std::condition_variable some;
std::vector<int> pending;
bool stops;
long sum;
long* volatile sink = &sum;
void flush() {
  std::unique_lock<std::mutex> held(lock);
  while (!stops || !pending.empty()) {
    some.wait_for(held, std::chrono::milliseconds(2), [] { return stops || !pending.empty(); });
    std::vector<int> batch;
    batch.swap(pending);
    held.unlock();
    for (const int one : batch) *sink += one;
    held.lock();
  }
}
void post(int me) {
  for (int i = 0; i < 20; ++i) {
    const std::lock_guard<std::mutex> held(lock);
    pending.push_back(me * 20 + i);
    some.notify_one();
  }
}
int main() {
  std::thread flusher(flush), first(post, 0), second(post, 1);
  first.join();
  second.join();
  {
    const std::lock_guard<std::mutex> held(lock);
    stops = true;
  }
  some.notify_all();
  sink = nullptr;  // BUG: the flusher may not be done
  flusher.join();
}
)");
  const CommandResult found =
      here.orrery("explore --json --preempt shared --runs 2000 -o small.orr ./app");
  INFO(found.out << found.err);
  REQUIRE(found.status == 1);
  const json report = json::parse(found.out);
  const json& finding = report["findings"].at(0);
  CHECK(finding["kind"] == "crash");
  CHECK(report["stats"]["found_runs"].at(0)["preemptions"] <= 2);
  CHECK(here.orrery("replay small.orr").status == 1);
}

TEST_CASE("Whoever looks at a small log of threads is told where its one interruption is") {
  const WorkingDirectory here;
  build_hooked(here, R"(#include <thread>
int one = 1, sum;
int* volatile chosen = &one;
int main() {
  std::thread adding([] {
    for (int i = 0; i < 200; ++i) {
      if (chosen == nullptr) return;
      sum += *chosen;
    }
  });
  std::thread dropping([] { chosen = nullptr; });
  adding.join();
  dropping.join();
}
)");
  const CommandResult found =
      here.orrery("explore --json --preempt shared --runs 2000 -o small.orr ./app");
  INFO(found.out << found.err);
  REQUIRE(found.status == 1);
  CHECK(json::parse(found.out)["stats"]["found_runs"].at(0)["preemptions"] == 1);
  for (const char* const command : {"show --timeline small.orr", "replay --timeline small.orr"}) {
    const CommandResult result = here.orrery(command);
    const std::string shown = result.out + result.err;
    INFO(shown);
    const std::size_t mark = shown.find(">> ");
    REQUIRE(mark != std::string::npos);
    CHECK(shown.find(">> ", mark + 1) == std::string::npos);
    const std::string line = shown.substr(mark, shown.find('\n', mark) - mark);
    CHECK(has(line, " is interrupted: "));
    CHECK(has(line, "app.cpp:8"));
  }
}

TEST_CASE("A run in which nobody woke by himself is not made small to one in which somebody does") {
  const WorkingDirectory here;
  build_hooked(here, R"(#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
std::mutex lock;
std::condition_variable some;
bool is_ready;
int main() {
  std::thread late([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::lock_guard<std::mutex> held(lock);
    is_ready = true;
    some.notify_one();
  });
  std::unique_lock<std::mutex> held(lock);
  if (!is_ready) some.wait_for(held, std::chrono::milliseconds(1));  // BUG: it may be too early
  held.unlock();
  if (!is_ready) std::abort();
  late.join();
}
)");
  const CommandResult recorded = here.orrery("record -o late.orr ./app");
  INFO(recorded.err);
  REQUIRE(recorded.status != 2);
  const CommandResult small = here.orrery("shrink -o small.orr late.orr");
  INFO(small.out << small.err);
  REQUIRE(small.status == 1);
  const CommandResult shown = here.orrery("show --timeline small.orr");
  INFO(shown.out);
  CHECK_FALSE(orrery::test::has(shown.out, "wakes from waiting"));
  CHECK(orrery::test::has(shown.out, "gives up waiting"));
}

// A worker that looks whether the queue is closed and then waits is never woken, if the close comes
// between the two: but only who comes last, and that is another one in each run.
TEST_CASE("That one of equal threads came late is found, whichever it was and whatever it did") {
  const WorkingDirectory here;
  const CommandResult built = here.shell(fmt::format(
      "CC='{0} cc' CXX='{0} c++' {1}/scenarios/programs/threads/build.sh cache app -DBUG",
      ORRERY_BINARY, ORRERY_SOURCE_DIR));
  INFO(built.err);
  REQUIRE(built.status == 0);
  for (int seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const CommandResult found = here.orrery(
        fmt::format("explore --quiet --no-shrink --seed {} --runs 1000 -o long.orr ./app", seed));
    REQUIRE(found.status == 1);
    const CommandResult small = here.orrery("shrink --json long.orr -o small.orr");
    INFO(small.err);
    REQUIRE(small.status == 1);
    const json stats = json::parse(small.out)["stats"];
    CHECK(stats["before"]["preemptions"] > 100);
    CHECK(stats["after"]["preemptions"] <= 3);  // one is needed
    CHECK(here.orrery("replay --quiet small.orr").status == 1);
  }
}
